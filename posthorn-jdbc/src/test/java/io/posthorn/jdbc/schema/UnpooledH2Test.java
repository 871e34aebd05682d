/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.posthorn.jdbc.JdbcMessageStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** H2 without a pool, so that the connection that created the tables is closed. */
class UnpooledH2Test {
  private final JdbcDataSource database = new JdbcDataSource();

  @Test
  void constraintsAcceptRowsWhenTheConnectionThatMadeThemIsClosed() throws SQLException {
    database.setURL("jdbc:h2:mem:" + UUID.randomUUID());
    try (Connection keepAlive = database.getConnection()) {
      JdbcMessageStore.on(database).open();

      assertThatCode(
              () -> {
                execute("INSERT INTO outbox_pause VALUES ('HANDLER', 'x', CURRENT_TIMESTAMP)");
                execute(
                    """
                    INSERT INTO outbox_deferred
                      (partition_no, seq, id, type, content_type, occurred_at, created_at, handler, in_lane, reason, attempts, deferred_at)
                    VALUES (0, 1, RANDOM_UUID(), 't', 'c', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, 'h', FALSE, 'HELD', 0, CURRENT_TIMESTAMP)
                    """);
              })
          .doesNotThrowAnyException();
      assertThat(keepAlive.isClosed()).isFalse();
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
