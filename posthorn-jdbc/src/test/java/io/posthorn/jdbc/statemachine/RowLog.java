/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.statemachine;

import io.posthorn.jdbc.fixture.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Triggers that write down each change of a row that has a message. */
final class RowLog {
  static final List<String> TABLES =
      List.of("outbox_message", "outbox_deferred", "outbox_dead", "outbox_history");

  /**
   * What happened to one row.
   *
   * @param handler "*" in the ready table, whose rows are meant for all
   * @param before what the row was before, or null: it was inserted
   * @param after what the row is now, or null: it was deleted
   */
  record Change(
      long number,
      long transaction,
      String table,
      UUID id,
      long seq,
      String handler,
      Was before,
      Was after) {
    /** Whether only something like its due time or its headers changed. */
    boolean staysAsItWas() {
      return before != null && before.equals(after);
    }

    @Override
    public String toString() {
      return "#%d transaction %d: %s of message %s, seq %d, handler %s: %s -> %s"
          .formatted(number, transaction, table, id, seq, handler, before, after);
    }
  }

  /** What a row says. */
  record Was(State state, int attempts) {}

  private final TestDatabase database;

  private RowLog(TestDatabase database) {
    this.database = database;
  }

  /** The outbox's tables must be there. */
  static RowLog createIn(TestDatabase database) {
    database.execute(
        """
        CREATE TABLE row_log (n bigserial PRIMARY KEY, tx bigint NOT NULL, table_name text NOT NULL,
                              old_row jsonb, new_row jsonb)
        """);
    database.execute(
        """
        CREATE FUNCTION log_row() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO row_log (tx, table_name, old_row, new_row)
          VALUES (txid_current(), TG_TABLE_NAME, to_jsonb(OLD), to_jsonb(NEW));
          RETURN NULL;
        END $$
        """);
    for (String table : TABLES) {
      database.execute(
          "CREATE TRIGGER log_row AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION log_row()"
              .formatted(table));
    }
    return new RowLog(database);
  }

  void clear() {
    database.execute("TRUNCATE row_log");
  }

  /** All changes that were committed since the log was cleared, in their order. */
  List<Change> changes() throws SQLException {
    List<Change> changes = new ArrayList<>();
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement read =
            connection.prepareStatement(
                """
                SELECT n, tx, table_name, coalesce(new_row, old_row) ->> 'id', (coalesce(new_row, old_row) ->> 'seq')::bigint,
                       coalesce(coalesce(new_row, old_row) ->> 'handler', '*'),
                       old_row IS NOT NULL, old_row ->> 'reason', (old_row ->> 'attempts')::integer,
                       new_row IS NOT NULL, new_row ->> 'reason', (new_row ->> 'attempts')::integer
                  FROM row_log ORDER BY n
                """);
        ResultSet row = read.executeQuery()) {
      while (row.next()) {
        changes.add(change(row));
      }
    }
    return changes;
  }

  private static Change change(ResultSet row) throws SQLException {
    return new Change(
        row.getLong(1),
        row.getLong(2),
        row.getString(3),
        UUID.fromString(row.getString(4)),
        row.getLong(5),
        row.getString(6),
        was(row, 7),
        was(row, 10));
  }

  private static Was was(ResultSet row, int first) throws SQLException {
    if (!row.getBoolean(first)) {
      return null;
    }
    State state = State.ofRow(row.getString(3), row.getString(6), row.getString(first + 1));
    return new Was(state, row.getInt(first + 2));
  }
}
