/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.druid.DbType;
import com.alibaba.druid.sql.SQLUtils;
import com.alibaba.druid.sql.parser.ParserException;
import io.posthorn.jdbc.Dialect;
import io.posthorn.jdbc.OracleDialect;
import io.posthorn.jdbc.SqlServerDialect;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ParsedSqlTest {
  private static List<String> unread(Dialect dialect, DbType type) throws Exception {
    List<String> unread = new ArrayList<>();
    int all = 0;
    for (String sql : EveryStatement.of(dialect)) {
      all++;
      try {
        SQLUtils.parseStatements(sql, type);
      } catch (ParserException e) {
        unread.add(e.getMessage() + "\n   IN " + sql.replace('\n', ' '));
      }
    }
    System.err.println(type + " all " + all);
    return unread;
  }

  @Test
  void oracle() throws Exception {
    assertThat(unread(new OracleDialect(), DbType.oracle)).isEmpty();
  }

  @Test
  void sqlServer() throws Exception {
    assertThat(unread(new SqlServerDialect(), DbType.sqlserver)).isEmpty();
  }
}
