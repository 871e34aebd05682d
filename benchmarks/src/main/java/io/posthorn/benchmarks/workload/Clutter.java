/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.sql.SQLException;

/** W6: a drain with delayed messages and blocked keys in the tables, beside one without. */
final class Clutter implements Workload {
  private static final int DELAYED = 100_000;
  private static final int BLOCKED_KEYS = 10_000;

  private final Backlog backlog = new Backlog();
  private boolean saved;

  @Override
  public Outcome run(Stage stage, Effort effort, Progress progress) throws Exception {
    remove(stage);
    backlog.fill(stage, effort.messages(), progress);
    Outcome plain = Drain.drain(stage, effort, progress);
    if (plain.failed() != null) {
      return plain;
    }
    progress.say("without clutter: %s messages/s".formatted(plain.perSecond()));
    clutter(stage);
    backlog.fill(stage, effort.messages(), progress);
    Outcome cluttered = Drain.drain(stage, effort, progress);
    if (plain.perSecond() == null || cluttered.perSecond() == null) {
      return cluttered;
    }
    return cluttered
        .with("plainPerSecond", plain.perSecond())
        .with("ratioToPlain", cluttered.perSecond() / plain.perSecond());
  }

  private void clutter(Stage stage) throws Exception {
    if (saved) {
      for (String table : stage.subject().clutterTables()) {
        stage.execute("INSERT INTO " + table + " SELECT * FROM saved_" + table);
      }
      return;
    }
    stage.clear();
    stage.subject().clutter(DELAYED, BLOCKED_KEYS);
    for (String table : stage.subject().clutterTables()) {
      stage.execute("CREATE UNLOGGED TABLE saved_" + table + " AS SELECT * FROM " + table);
    }
    saved = true;
  }

  private static void remove(Stage stage) throws SQLException {
    for (String table : stage.subject().clutterTables()) {
      stage.execute("TRUNCATE " + table + " CASCADE");
    }
  }
}
