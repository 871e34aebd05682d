/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;

/**
 * The seq that a row keeps when it moves to another table: its own, or a fresh one if a row is
 * there that has it already. That row is of another message, from before the sequence was set back.
 * One probe of the primary key; no conflict clause, since not every database has one.
 */
final class FreeSeq {
  private final Dialect dialect;
  private final Tables tables;

  FreeSeq(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    this.tables = tables;
  }

  /**
   * In the dead letters.
   *
   * @param from the table of the row that moves
   * @param handler an expression
   */
  String inDead(String from, String handler) {
    return seq(from, tables.dead(), "taken.handler = %s".formatted(handler));
  }

  /** The same, in the deferred table. */
  String inDeferred(String from, String handler) {
    return seq(
        from,
        tables.deferred(),
        "taken.partition_no = %s.partition_no AND taken.handler = %s".formatted(from, handler));
  }

  private String seq(String from, String to, String sameHandler) {
    // Where nothing can be drawn here, the one behind the handler's last row.
    String fresh =
        dialect.drawsInQueries()
            ? dialect.nextValue(tables.seq())
            : "(SELECT max(o.seq) + 1 FROM %s o WHERE o.handler = taken.handler)".formatted(to);
    return "COALESCE((SELECT %s FROM %s taken WHERE %s AND taken.seq = %s.seq), %s.seq)"
        .formatted(fresh, to, sameHandler, from, from);
  }
}
