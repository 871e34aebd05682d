/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.quickstart;

// docs:begin
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;

/** An order is stored and announced in one transaction. */
public final class QuickStart {
  private QuickStart() {}

  /** What is published. */
  public record Order(String id, String customer) {}

  public static void main(String[] arguments) throws Exception {
    DataSource dataSource = JdbcConnectionPool.create("jdbc:h2:mem:shop", "sa", "");
    try (Connection connection = dataSource.getConnection()) {
      connection.createStatement().execute("CREATE TABLE orders (id varchar PRIMARY KEY)");
      run(dataSource);
    }
  }

  static void run(DataSource dataSource) throws Exception {
    var transactions = new JdbcTransactions(dataSource);
    try (var posthorn =
        Posthorn.inOneProcess(JdbcMessageStore.on(dataSource), transactions)
            .handler(
                "mailer",
                "order-placed",
                Order.class,
                (order, delivery) -> System.out.println("mail about " + order))
            .start()) {

      transactions.run(
          connection -> {
            Order order = new Order("o-1", "ada");
            insert(connection, order);
            posthorn
                .outbox()
                .publish(Message.of("order-placed").key(order.customer()).payload(order).build());
          });

      posthorn.relay().awaitIdle(Duration.ofSeconds(10));
    }
  }

  static void insert(Connection connection, Order order) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
      insert.setString(1, order.id());
      insert.executeUpdate();
    }
  }
}
// docs:end
