/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.newdatabase;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * What every database must be able to do, in two sessions with open transactions, on the table
 * {@code probe} with the rows 1, 2 and 3. A refusal is an exception, and so is waiting: lock
 * timeouts are short.
 */
enum RequiredCapability {
  LIMITS_ROWS("limits the rows of a query") {
    @Override
    boolean has(Connection mine, Connection other) throws SQLException {
      return seqs(mine, "SELECT seq FROM probe ORDER BY seq LIMIT 2").size() == 2;
    }
  },
  TELLS_BYTES("tells lengths in bytes") {
    @Override
    boolean has(Connection mine, Connection other) throws SQLException {
      return seqs(mine, "SELECT octet_length(payload) FROM probe WHERE seq = 3")
          .equals(List.of(4L));
    }
  },
  INSERTS_MANY("inserts many rows by one statement") {
    @Override
    boolean has(Connection mine, Connection other) throws SQLException {
      return run(
              mine,
              "INSERT INTO probe (partition_no, seq, payload) VALUES (1, 1, 'x'), (1, 2, 'y')")
          == 2;
    }
  },
  NAMES_CHANGED_TABLES("gives a table that is changed a short name") {
    @Override
    boolean has(Connection mine, Connection other) throws SQLException {
      return run(
              mine,
              "UPDATE probe p SET payload = 'x' WHERE p.seq = 1 AND EXISTS (SELECT 1 FROM probe q WHERE q.seq = p.seq + 1)")
          == 1;
    }
  },
  READS_COMMITTED("has the isolation READ COMMITTED") {
    @Override
    boolean has(Connection mine, Connection other) throws SQLException {
      other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      long before = seqs(other, ALL).size();
      run(mine, "INSERT INTO probe (partition_no, seq) VALUES (0, 4)");
      mine.commit();
      return seqs(other, ALL).size() == before + 1;
    }
  },
  GOES_ON_AFTER_FAILURES("goes on after a failed statement, or from a savepoint before it") {
    @Override
    boolean has(Connection mine, Connection other) throws SQLException {
      run(mine, "INSERT INTO probe (partition_no, seq) VALUES (0, 4)");
      Savepoint before = mine.setSavepoint();
      try {
        run(mine, "INSERT INTO probe (partition_no, seq) VALUES (0, 4)");
        return false;
      } catch (SQLException duplicate) {
        mine.rollback(before);
      }
      return seqs(mine, ALL).size() == 4;
    }
  },
  READS_BESIDE_WRITERS("reads what is committed while another session writes") {
    @Override
    boolean has(Connection mine, Connection other) throws SQLException {
      run(mine, "INSERT INTO probe (partition_no, seq) VALUES (0, 4)");
      run(mine, "UPDATE probe SET payload = 'new' WHERE seq = 1");
      return seqs(other, ALL).size() == 3;
    }
  },
  WRITES_BESIDE_WRITERS("lets two sessions write different rows at once") {
    @Override
    boolean has(Connection mine, Connection other) throws SQLException {
      run(mine, "UPDATE probe SET payload = 'x' WHERE partition_no = 0 AND seq = 1");
      return run(other, "UPDATE probe SET payload = 'y' WHERE partition_no = 0 AND seq = 2") == 1;
    }
  },
  LOCKS_IN_ORDER("locks the rows of a query, in an order") {
    @Override
    boolean has(Connection mine, Connection other) throws SQLException {
      return seqs(mine, ALL + " FOR UPDATE").equals(List.of(1L, 2L, 3L));
    }
  },
  KEEPS_FROM_DELETION("keeps a locked row from being deleted, and no other row") {
    @Override
    boolean has(Connection mine, Connection other) throws SQLException {
      seqs(mine, "SELECT seq FROM probe WHERE partition_no = 0 AND seq = 1 FOR UPDATE");
      run(other, "DELETE FROM probe WHERE partition_no = 0 AND seq = 2");
      try {
        run(other, "DELETE FROM probe WHERE partition_no = 0 AND seq = 1");
        return false;
      } catch (SQLException waited) {
        return true;
      }
    }
  },
  SKIPS_LOCKED("passes over rows that another session has locked") {
    @Override
    boolean has(Connection mine, Connection other) throws SQLException {
      seqs(mine, "SELECT seq FROM probe WHERE partition_no = 0 AND seq = 1 FOR UPDATE");
      return seqs(other, ALL + " FOR UPDATE SKIP LOCKED").equals(List.of(2L, 3L));
    }
  };

  private static final String ALL = "SELECT seq FROM probe WHERE partition_no = 0 ORDER BY seq";

  private final String text;

  RequiredCapability(String text) {
    this.text = text;
  }

  /** As the document says it. */
  String text() {
    return text;
  }

  abstract boolean has(Connection mine, Connection other) throws SQLException;

  private static int run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }

  private static List<Long> seqs(Connection connection, String sql) throws SQLException {
    List<Long> seqs = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        seqs.add(rows.getLong(1));
      }
    }
    return seqs;
  }
}
