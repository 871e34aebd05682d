/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;

class QuickStartTest {
  private interface Program {
    void run() throws Exception;
  }

  private static String printedBy(Program program) throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      program.run();
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  @Test
  void theQuickStartDeliversItsOrder() throws Exception {
    assertThat(printedBy(() -> QuickStart.main(new String[0])))
        .contains("mail about Order[id=o-1, customer=ada]");
  }

  @Test
  void itWorksWithTheTenConnectionsThatHikariHasByDefault() throws Exception { // issue 18
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl("jdbc:h2:mem:hikari;DB_CLOSE_DELAY=-1");
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE orders (id varchar PRIMARY KEY)");
      }

      assertThat(printedBy(() -> QuickStart.run(pool)))
          .contains("mail about Order[id=o-1, customer=ada]");
      assertThat(pool.getMaximumPoolSize()).isEqualTo(10);
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }

  @Test
  void aTransactionByHandStoresTheOrderAndPublishesIt() throws Exception {
    DataSource dataSource =
        JdbcConnectionPool.create("jdbc:h2:mem:by-hand;DB_CLOSE_DELAY=-1", "sa", "");
    JdbcTransactions transactions = new JdbcTransactions(dataSource);
    transactions.run(
        connection ->
            connection.createStatement().execute("CREATE TABLE orders (id varchar PRIMARY KEY)"));
    try (Posthorn posthorn =
        Posthorn.publishOnly(JdbcMessageStore.on(dataSource), transactions).start()) {
      TransactionByHand.place(new QuickStart.Order("o-1", "ada"), transactions, posthorn.outbox());

      assertThat(posthorn.admin().survey(10).ready()).hasSize(1);
    }
  }
}
