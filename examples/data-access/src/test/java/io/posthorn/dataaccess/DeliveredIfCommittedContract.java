/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jooq.SQLDialect;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A message that is published in a transaction of a library is delivered if and only if that
 * transaction commits, whoever begins and ends it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DeliveredIfCommittedContract {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final List<String> delivered = new CopyOnWriteArrayList<>();
  private HikariDataSource dataSource;

  abstract HikariDataSource database();

  abstract SQLDialect jooqDialect();

  /** A library, and who begins and ends the transaction. */
  enum Way {
    MYBATIS,
    MYBATIS_IN_SPRING,
    JOOQ,
    JOOQ_IN_SPRING,
    HIBERNATE,
    HIBERNATE_IN_SPRING
  }

  private static final class PaymentRefused extends Exception {
    private static final long serialVersionUID = 1L;
  }

  private Orders orders(Way way) throws Exception {
    return switch (way) {
      case MYBATIS -> new MyBatisOrders(dataSource);
      case MYBATIS_IN_SPRING -> new SpringMyBatisOrders(dataSource);
      case JOOQ -> new JooqOrders(dataSource, jooqDialect());
      case JOOQ_IN_SPRING -> new SpringJooqOrders(dataSource, jooqDialect());
      case HIBERNATE -> new HibernateOrders(dataSource);
      case HIBERNATE_IN_SPRING -> new SpringHibernateOrders(dataSource);
    };
  }

  @BeforeAll
  void open() throws SQLException {
    dataSource = database();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE orders (id bigint PRIMARY KEY)");
    }
    JdbcMessageStore.builder(dataSource).createTables(true).build().schema().apply();
  }

  @AfterAll
  void close() {
    dataSource.close();
  }

  @BeforeEach
  void empty() throws SQLException {
    delivered.clear();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("DELETE FROM orders");
    }
  }

  private List<String> stored() throws SQLException {
    List<String> ids = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id FROM orders ORDER BY id DESC")) {
      while (rows.next()) {
        ids.add(rows.getString(1));
      }
    }
    return ids;
  }

  private Posthorn relay(Orders orders) {
    return Posthorn.inOneProcess(JdbcMessageStore.on(dataSource), orders.transactions())
        .handler(
            "mailer",
            Orders.TYPE,
            String.class,
            (payload, delivery) -> delivered.add(delivery.key()))
        .start();
  }

  @ParameterizedTest
  @EnumSource
  void messagesAreDeliveredIfTheTransactionCommits(Way way) throws Exception {
    try (Orders orders = orders(way);
        Posthorn posthorn = relay(orders)) {
      assertThatThrownBy(
              () ->
                  orders.place(
                      posthorn.outbox(),
                      1,
                      () -> {
                        throw new PaymentRefused();
                      }))
          .isInstanceOf(PaymentRefused.class);
      orders.place(posthorn.outbox(), 2, () -> assertThat(delivered).isEmpty());
      assertThat(posthorn.relay().awaitIdle(LIMIT)).isTrue();

      assertThat(delivered).containsExactly("2");
      assertThat(stored()).containsExactly("2");
      assertThat(dataSource.getHikariPoolMXBean().getThreadsAwaitingConnection()).isZero();
    }
  }

  @Test
  void nestedTransactionsOfJooqTakeTheirMessagesBack() throws Exception {
    try (JooqOrders orders = new JooqOrders(dataSource, jooqDialect());
        Posthorn posthorn = relay(orders)) {
      orders.placeByJooq(posthorn.outbox(), 1, () -> {});
      orders.placeByJooq(
          posthorn.outbox(),
          2,
          () -> {
            throw new PaymentRefused();
          });
      assertThat(posthorn.relay().awaitIdle(LIMIT)).isTrue();

      assertThat(delivered).containsExactlyInAnyOrder("1", "-1", "2");
      assertThat(stored()).containsExactly("2", "1", "-1");
    }
  }
}
