/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import io.posthorn.benchmarks.subject.Order;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Messages that wait in the tables while no relay runs. They are published once, through the
 * subject, and copied back for each further run, also in another JVM.
 */
final class Backlog {
  static final Numbering NUMBERING = new Numbering(1);
  private static final int PER_TRANSACTION = 1_000;

  /** Leaves exactly so many messages in the tables. */
  void fill(Stage stage, int messages, Workload.Progress progress) throws Exception {
    stage.clear();
    if (stage.number("SELECT coalesce(max(messages), 0) FROM saved_backlog") == messages) {
      restore(stage);
    } else {
      publish(stage, messages, progress);
      save(stage, messages);
    }
    stage.settleDown();
  }

  private static void publish(Stage stage, int messages, Workload.Progress progress)
      throws Exception {
    for (int from = 0; from < messages; from += PER_TRANSACTION) {
      List<Order> orders =
          LongStream.range(from, Math.min(messages, from + PER_TRANSACTION))
              .mapToObj(turn -> NUMBERING.order(0, turn))
              .toList();
      stage.subject().transact(connection -> {}, orders);
      progress.say("%,d of %,d published".formatted(from + orders.size(), messages));
    }
  }

  private static void save(Stage stage, int messages) throws SQLException {
    stage.execute(stage.product().empty("saved_backlog"));
    for (String table : stage.subject().backlogTables()) {
      stage.execute("DROP TABLE IF EXISTS saved_" + table);
      stage.execute(stage.product().copy(table, "saved_" + table));
    }
    stage.execute("INSERT INTO saved_backlog VALUES (" + messages + ")");
  }

  private static void restore(Stage stage) throws SQLException {
    for (String table : stage.subject().backlogTables()) {
      stage.execute("INSERT INTO " + table + " SELECT * FROM saved_" + table);
    }
    for (String sql : stage.subject().afterRestore()) {
      stage.execute(sql);
    }
  }
}
