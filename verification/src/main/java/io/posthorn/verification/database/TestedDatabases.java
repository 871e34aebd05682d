/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.database;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** All databases that runs can be made on. */
public final class TestedDatabases {
  public static final TestedDatabase POSTGRESQL = new TestedPostgres();
  private static final List<TestedDatabase> ALL =
      List.of(POSTGRESQL, new TestedMariaDb(), new TestedMySql());

  private TestedDatabases() {}

  public static Optional<TestedDatabase> named(String label) {
    return ALL.stream().filter(database -> database.label().equals(label)).findFirst();
  }

  /** The labels of all of them. */
  public static String labels() {
    return ALL.stream().map(TestedDatabase::label).collect(Collectors.joining(", "));
  }
}
