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
import io.posthorn.jdbc.H2Dialect;
import io.posthorn.jdbc.OracleDialect;
import io.posthorn.jdbc.SqlServerDialect;
import io.posthorn.jdbc.fixture.ShippedScripts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A parser that is neither ours nor the vendors' reads every statement for Oracle and SQL Server,
 * and the scripts. It knows no tables and no types, and takes some things that a server does not.
 */
class ParsedSqlTest {
  /** What the parser does not know, though the vendors' documents have it. */
  private static final List<String> BEYOND_IT =
      List.of(
          "BEGIN EXECUTE IMMEDIATE", // of an expression
          "WITH FUNCTION is_free",
          "SAVE TRAN",
          "SELECT CURRENT_TRANSACTION_ID()", // after another statement
          "SET LOCK_TIMEOUT -1");

  private static List<String> unread(Collection<String> statements, DbType type) {
    List<String> unread = new ArrayList<>();
    for (String sql : statements) {
      try {
        SQLUtils.parseStatements(sql, type);
      } catch (ParserException e) {
        if (BEYOND_IT.stream().noneMatch(sql::contains)) {
          unread.add(e.getMessage() + ": " + sql);
        }
      }
    }
    return unread;
  }

  /**
   * Without what the parser does not know: options of indexes and tables, and a computed column.
   */
  private static List<String> script(String path) {
    String text =
        ShippedScripts.read(path)
            .replaceAll("(?m)^\\s*--.*$|^GO\\s*$|^ALTER TABLE \\w+ SET .*$", "")
            .replace(" WITH (ALLOW_PAGE_LOCKS = OFF)", "")
            .replace(" IF NOT EXISTS", "")
            .replace("AS CONVERT(bigint, row_version) PERSISTED NOT NULL", "bigint NOT NULL");
    return Arrays.stream(text.split(";", -1)).filter(sql -> !sql.isBlank()).toList();
  }

  private static void assertRead(Dialect dialect, DbType type) throws Exception {
    Collection<String> statements = EveryStatement.of(dialect);

    assertThat(statements).hasSizeGreaterThan(100);
    assertThat(unread(statements, type)).isEmpty();
  }

  @Test
  void statementsForOracleAreRead() throws Exception {
    assertRead(new OracleDialect(), DbType.oracle);
  }

  @Test
  void statementsForSqlServerAreRead() throws Exception {
    assertRead(new SqlServerDialect(), DbType.sqlserver);
  }

  @Test
  void scriptsForOracleAreRead() {
    assertThat(unread(script("oracle/V1__create_outbox.sql"), DbType.oracle)).isEmpty();
    assertThat(unread(script("inbox/oracle/V1__create_inbox.sql"), DbType.oracle)).isEmpty();
  }

  @Test
  void scriptsForSqlServerAreRead() {
    assertThat(unread(script("sqlserver/V1__create_outbox.sql"), DbType.sqlserver)).isEmpty();
    assertThat(unread(script("inbox/sqlserver/V1__create_inbox.sql"), DbType.sqlserver)).isEmpty();
  }

  /** The check can fail, though it is a mild one: of more than a hundred, few are refused. */
  @Test
  void statementsForAnotherDatabaseAreNotAllRead() throws Exception {
    Collection<String> ofH2 = EveryStatement.of(new H2Dialect());

    assertThat(unread(ofH2, DbType.oracle)).hasSizeGreaterThanOrEqualTo(9);
    assertThat(unread(ofH2, DbType.sqlserver)).hasSizeGreaterThanOrEqualTo(14);
  }
}
