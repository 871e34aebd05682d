/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.Dialect;
import io.posthorn.jdbc.H2Dialect;
import io.posthorn.jdbc.OracleDialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows are compared alike whether the database compares tuples or not. */
class TupleOrderTest {
  private static final int VALUES = 3; // of each of three columns

  @ParameterizedTest
  @ValueSource(strings = {">", "<="})
  void comparisonsOfColumnsFindWhatTuplesFind(String side) throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:" + UUID.randomUUID());
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE t AS SELECT a.x AS a, b.x AS b, c.x AS c FROM SYSTEM_RANGE(1, 3) a(x), SYSTEM_RANGE(1, 3) b(x), SYSTEM_RANGE(1, 3) c(x)");
      int rows = VALUES * VALUES * VALUES;
      for (int row = 0; row < rows; row++) {
        Object[] last = {1 + row / 9, 1 + row / 3 % 3, 1 + row % 3};

        List<String> found = found(connection, new OracleDialect(), side, last);

        assertThat(found).isEqualTo(found(connection, new H2Dialect(), side, last));
        assertThat(found).hasSize(side.equals(">") ? rows - 1 - row : row + 1);
      }
    }
  }

  private static List<String> found(
      Connection connection, Dialect dialect, String side, Object... last) throws SQLException {
    TupleOrder order = new TupleOrder(dialect, "a, b, c");
    String sql = "SELECT a || '-' || b || '-' || c FROM t WHERE %s ORDER BY a, b, c";
    List<String> found = new ArrayList<>();
    try (PreparedStatement select =
        connection.prepareStatement(sql.formatted(order.compared(side)))) {
      int i = 1;
      for (Object value : order.values(last)) {
        select.setObject(i++, value);
      }
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          found.add(rows.getString(1));
        }
      }
    }
    return found;
  }
}
