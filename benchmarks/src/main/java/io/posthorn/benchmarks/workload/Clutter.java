/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.sql.SQLException;

/** W6: a drain with delayed messages and blocked keys in the tables, beside one without. */
final class Clutter implements Workload {
  /** As many delayed messages as there are to drain, and one blocked key for so many of them. */
  private static final int PER_BLOCKED_KEY = 10;

  private final Backlog backlog = new Backlog();
  private int saved;

  @Override
  public Outcome run(Stage stage, Effort effort, Progress progress) throws Exception {
    remove(stage);
    backlog.fill(stage, effort.messages(), progress);
    Outcome plain = Drain.drain(stage, effort, progress);
    if (plain.failed() != null) {
      return plain;
    }
    progress.say("without clutter: %s messages/s".formatted(plain.perSecond()));
    clutter(stage, effort.messages());
    backlog.fill(stage, effort.messages(), progress);
    Outcome cluttered = Drain.drain(stage, effort, progress);
    if (plain.perSecond() == null || cluttered.perSecond() == null) {
      return cluttered;
    }
    return cluttered
        .with("plainPerSecond", plain.perSecond())
        .with("ratioToPlain", cluttered.perSecond() / plain.perSecond());
  }

  private void clutter(Stage stage, int messages) throws Exception {
    if (saved == messages) {
      for (String table : stage.subject().clutterTables()) {
        stage.execute("INSERT INTO " + table + " SELECT * FROM saved_" + table);
      }
      return;
    }
    stage.clear();
    stage.subject().clutter(messages, messages / PER_BLOCKED_KEY);
    for (String table : stage.subject().clutterTables()) {
      stage.execute("DROP TABLE IF EXISTS saved_" + table);
      stage.execute("CREATE UNLOGGED TABLE saved_" + table + " AS SELECT * FROM " + table);
    }
    saved = messages;
  }

  private static void remove(Stage stage) throws SQLException {
    for (String table : stage.subject().clutterTables()) {
      stage.execute("TRUNCATE " + table + " CASCADE");
    }
  }
}
