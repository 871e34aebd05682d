/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;

class QuickStartTest {
  @Test
  void theQuickStartDeliversItsOrder() throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      QuickStart.main(new String[0]);
    } finally {
      System.setOut(before);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("mail about Order[id=o-1, customer=ada]");
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
