/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.servers.MySqlServer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Settings with which an outbox cannot be kept are refused at open, each with what to do. */
abstract class MySqlServerProblemsContract {
  /** One with a binary log, which may have settings that are odd, but harmless. */
  abstract MySqlServer server();

  /** The problems that a pool meets whose connections begin with this. */
  final List<String> problemsAfter(String sql) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server().freshDatabase());
    config.setMaximumPoolSize(1);
    config.setConnectionInitSql(sql);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      JdbcMessageStore store = JdbcMessageStore.builder(pool).createTables(true).build();
      List<String> problems = store.schema().validate();
      assertThat(problems)
          .isEqualTo(catchThrowableOfType(ConfigurationException.class, store::open).problems());
      return problems;
    }
  }

  @Test
  void aBinaryLogOfStatementsIsRefused() {
    assertThat(problemsAfter("SET SESSION binlog_format = 'STATEMENT'"))
        .singleElement()
        .asString()
        .contains("binlog_format was STATEMENT", "must be ROW or MIXED");
  }

  @Test
  void sessionsThatOnlyReadAreRefused() {
    assertThat(problemsAfter("SET SESSION TRANSACTION READ ONLY"))
        .singleElement()
        .asString()
        .contains("transaction_read_only was ON", "must be OFF", "read-only flag");
  }
}
