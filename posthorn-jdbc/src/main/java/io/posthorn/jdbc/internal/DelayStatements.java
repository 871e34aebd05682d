/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.NewMessage.Delay;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes delayed messages in the caller's transaction: as deferred rows that stand in no lane and
 * are found by their time.
 */
final class DelayStatements {
  private static final int OWN_PARAMETERS = 4;

  private final Dialect dialect;
  private final int rowsPerStatement;
  private final String into;
  private final String row;
  private final DeferredFloors floors;
  private final SeqDraw draw;
  private final Map<Integer, String> insertsBySize = new ConcurrentHashMap<>();

  DelayStatements(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    int mostRows =
        Math.min(
            AppendStatements.MAX_ROWS,
            dialect.maxParameters() / (Rows.ENVELOPE_COLUMNS + OWN_PARAMETERS));
    this.rowsPerStatement = dialect.drawsForManyRows() ? mostRows : 1;
    this.draw = new SeqDraw(dialect, tables);
    this.floors = new DeferredFloors(dialect, tables);
    this.into =
        "INSERT INTO %s (partition_no, %s, seq, handler, in_lane, reason, attempts, due_at, created_at, deferred_at) VALUES "
            .formatted(tables.deferred(), Rows.ENVELOPE);
    this.row =
        "(?, %s%s, '%s', %s, '%s', 0, COALESCE(?, %s), %s, %s)"
            .formatted(
                "?, ".repeat(Rows.ENVELOPE_COLUMNS),
                draw.value(),
                DeferredMessage.UNDECIDED,
                dialect.literal(false),
                DeferReason.DELAYED,
                dialect.plusMillis(dialect.now(), "?"),
                dialect.now(),
                dialect.now());
  }

  void append(Connection connection, List<NewMessage> messages) throws SQLException {
    for (List<NewMessage> chunk : AppendStatements.chunks(messages, rowsPerStatement)) {
      long[] seqs = draw.isNeeded() ? draw.next(connection, chunk.size()) : new long[chunk.size()];
      try (PreparedStatement insert = connection.prepareStatement(insert(chunk.size()))) {
        int i = 1;
        int place = 0;
        for (NewMessage message : chunk) {
          insert.setInt(i++, message.partition());
          i = Rows.bind(dialect, insert, i, message.envelope());
          i = draw.bind(insert, i, seqs[place++]);
          bindDue(insert, i, message);
          i += 2;
        }
        insert.executeUpdate();
      }
    }
  }

  private void bindDue(PreparedStatement insert, int first, NewMessage message)
      throws SQLException {
    if (message.delay() instanceof Delay.Until until) {
      dialect.bindTime(insert, first, until.time());
      insert.setLong(first + 1, 0);
    } else if (message.delay() instanceof Delay.After after) {
      insert.setNull(first, dialect.timeType());
      insert.setLong(first + 1, millis(after.time()));
    }
  }

  /** Rounded up: nothing is delivered too early. */
  private static long millis(Duration time) {
    return time.plusNanos(999_999).toMillis();
  }

  private String insert(int rows) {
    return insertsBySize.computeIfAbsent(
        rows, count -> floors.ofDelayed(into + row + (", " + row).repeat(count - 1)));
  }
}
