/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.NewMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes messages in the caller's transaction, and deletes them for those who read the database's
 * log.
 */
final class AppendStatements {
  static final int MAX_ROWS = 500;

  /** Payloads and headers of one statement, which driver and server have in memory as a whole. */
  private static final long MAX_BYTES = 8L * 1024 * 1024;

  private final Dialect dialect;
  private final Tables tables;
  private final int rowsPerStatement;
  private final Map<Integer, String> insertsByShape = new ConcurrentHashMap<>();
  private final DelayStatements delays;
  private final DrawnSeqs drawn;
  private final String firstPartition;
  private final String deleteRow;
  private final String oldestOfPartition;
  private final Optional<String> enterGate;

  AppendStatements(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    this.tables = tables;
    this.rowsPerStatement =
        Math.min(MAX_ROWS, dialect.maxParameters() / (Rows.ENVELOPE_COLUMNS + 1));
    this.delays = new DelayStatements(dialect, tables);
    this.drawn = new DrawnSeqs(dialect);
    // The transaction's number, or its gate, comes before the seq of the first row.
    this.firstPartition =
        dialect
            .enterGate(tables.gate())
            .map(gate -> "CASE WHEN " + gate + " = 1 THEN ? END")
            .orElse(dialect.numbered("?"));
    this.deleteRow =
        "DELETE FROM %s WHERE partition_no = ? AND seq = ?".formatted(tables.message());
    // Served by the primary key; young rows end the scan.
    this.oldestOfPartition =
        """
        SELECT seq FROM (SELECT seq, created_at FROM %s WHERE partition_no = ? ORDER BY seq %s) oldest
         WHERE %s < %s
        """
            .formatted(
                tables.message(),
                dialect.firstRows("?"),
                dialect.plusMillis("created_at", "?"),
                dialect.now());
    this.enterGate = dialect.enterGateBefore(tables.gate());
  }

  void append(Connection connection, List<NewMessage> messages) throws SQLException {
    List<NewMessage> ready = new ArrayList<>(messages.size());
    List<NewMessage> delayed = new ArrayList<>(0);
    for (NewMessage message : messages) {
      (message.delay() == null ? ready : delayed).add(message);
    }
    appendReady(connection, ready);
    delays.append(connection, delayed);
  }

  private void appendReady(Connection connection, List<NewMessage> messages) throws SQLException {
    if (messages.isEmpty()) {
      return;
    }
    SqlWork.run(connection, enterGate);
    for (List<NewMessage> chunk : chunks(messages, rowsPerStatement)) {
      int filled = filled(chunk);
      if (!dialect.drawsForManyRows()) {
        appendInBatch(connection, chunk, filled);
        continue;
      }
      try (PreparedStatement insert = connection.prepareStatement(insert(chunk.size(), filled))) {
        bind(insert, chunk, filled);
        insert.executeUpdate();
      }
    }
  }

  private void appendInBatch(Connection connection, List<NewMessage> chunk, int filled)
      throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(insert(1, filled))) {
      for (NewMessage message : chunk) {
        bind(insert, List.of(message), filled);
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  void appendAndDelete(Connection connection, List<NewMessage> messages) throws SQLException {
    if (messages.isEmpty()) {
      return;
    }
    if (dialect.drawsByRows()) {
      appendAndDeleteDrawn(connection, messages);
      return;
    }
    SqlWork.run(connection, enterGate);
    String[] key = {"partition_no", "seq"};
    int rows = dialect.drawsForManyRows() ? rowsPerStatement : 1;
    for (List<NewMessage> chunk : chunks(messages, rows)) {
      int filled = filled(chunk);
      try (PreparedStatement insert =
              connection.prepareStatement(insert(chunk.size(), filled), key);
          PreparedStatement delete = connection.prepareStatement(deleteRow)) {
        bind(insert, chunk, filled);
        insert.executeUpdate();
        try (ResultSet written = insert.getGeneratedKeys()) {
          while (written.next()) {
            delete.setInt(1, written.getInt(1));
            delete.setLong(2, written.getLong(2));
            delete.addBatch();
          }
        }
        delete.executeBatch();
      }
    }
  }

  private void appendAndDeleteDrawn(Connection connection, List<NewMessage> messages)
      throws SQLException {
    for (List<NewMessage> chunk : chunks(messages, rowsPerStatement)) {
      int filled = filled(chunk);
      int[] partitions = chunk.stream().mapToInt(NewMessage::partition).toArray();
      String sql = drawn.told(insert(chunk.size(), filled));
      try (PreparedStatement insert = connection.prepareStatement(sql);
          PreparedStatement delete = connection.prepareStatement(deleteRow)) {
        bind(insert, chunk, filled);
        for (DrawnSeqs.Drawn row : drawn.by(insert, partitions)) {
          delete.setInt(1, row.partition());
          delete.setLong(2, row.seq());
          delete.addBatch();
        }
        delete.executeBatch();
      }
    }
  }

  /** Deletes up to this many rows of a partition that are older than the age. */
  int purge(Connection connection, int partition, Duration age, int limit) throws SQLException {
    List<Long> old = new ArrayList<>();
    try (PreparedStatement select = connection.prepareStatement(oldestOfPartition)) {
      select.setInt(1, partition);
      select.setInt(2, limit);
      select.setLong(3, age.toMillis());
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          old.add(rows.getLong(1));
        }
      }
    }
    if (!old.isEmpty()) {
      try (PreparedStatement delete = connection.prepareStatement(deleteRow)) {
        for (long seq : old) {
          delete.setInt(1, partition);
          delete.setLong(2, seq);
          delete.addBatch();
        }
        delete.executeBatch();
      }
    }
    return old.size();
  }

  /** Bounded by rows and by bytes; a message that is larger than that is alone. */
  static List<List<NewMessage>> chunks(List<NewMessage> messages, int maxRows) {
    List<List<NewMessage>> chunks = new ArrayList<>();
    int from = 0;
    long bytes = 0;
    for (int i = 0; i < messages.size(); i++) {
      int size = messages.get(i).envelope().bytes();
      if (i > from && (i - from == maxRows || bytes + size > MAX_BYTES)) {
        chunks.add(messages.subList(from, i));
        from = i;
        bytes = 0;
      }
      bytes += size;
    }
    if (from < messages.size()) {
      chunks.add(messages.subList(from, messages.size()));
    }
    return chunks;
  }

  /** Which columns that may be empty are not, in some row. */
  private static int filled(List<NewMessage> chunk) {
    int filled = 0;
    for (NewMessage message : chunk) {
      filled |= Rows.filled(message.envelope());
    }
    return filled;
  }

  private void bind(PreparedStatement insert, List<NewMessage> chunk, int filled)
      throws SQLException {
    int i = 1;
    for (NewMessage message : chunk) {
      insert.setInt(i++, message.partition());
      i = Rows.bind(dialect, insert, i, message.envelope(), filled);
    }
  }

  /** Columns that are empty in all rows are left out: most messages have four of them. */
  private String insert(int rows, int filled) {
    return insertsByShape.computeIfAbsent(
        rows * (Rows.ALL_FILLED + 1) + filled,
        any -> {
          List<String> columns = Rows.columns(filled);
          String row = ", " + "?, ".repeat(columns.size()) + dialect.now() + ")";
          return "INSERT INTO %s (partition_no, %s, created_at) VALUES %s%s"
              .formatted(
                  tables.message(),
                  String.join(", ", columns),
                  "(" + firstPartition + row,
                  (", (?" + row).repeat(rows - 1));
        });
  }
}
