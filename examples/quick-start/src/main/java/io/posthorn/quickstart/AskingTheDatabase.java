/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.quickstart;

import io.posthorn.DatabaseHealth;
import io.posthorn.Posthorn;
import java.time.Duration;

/** What operators ask of the state of the database, as docs/operations.md shows it. */
final class AskingTheDatabase {
  private AskingTheDatabase() {}

  static void ask(Posthorn posthorn) {
    // docs:begin
    DatabaseHealth health = posthorn.admin().databaseHealth(Duration.ofMinutes(1));
    for (DatabaseHealth.Finding finding : health.findings()) {
      System.out.println(finding.found() + ". What to do: " + finding.advice());
    }
    // docs:end
  }
}
