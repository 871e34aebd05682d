/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Admin;
import io.posthorn.DeadLetters;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fault.Await;
import io.posthorn.servers.MySqlServer;
import io.posthorn.spi.StoreException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A user with the rights that the documents name, and no others. */
abstract class MySqlRightsContract {
  private static final String ROWS = "SELECT, INSERT, UPDATE, DELETE";
  private static final List<String> TABLES =
      List.of("CREATE", "ALTER", "INDEX", "DROP", "CREATE VIEW");

  private final List<String> delivered = new CopyOnWriteArrayList<>();
  private final Await await = new Await(delivered::toString);
  private String url;

  abstract MySqlServer server();

  /** Of the product. */
  abstract String dialect();

  @BeforeEach
  void freshDatabase() {
    url = server().freshDatabase();
  }

  private String name() {
    return url.substring(url.lastIndexOf('/') + 1, url.indexOf('?'));
  }

  private void asRoot(String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** Connections of a new user. */
  private HikariDataSource user(String rights) throws SQLException {
    String user = "'app_" + name() + "'@'%'";
    asRoot(
        "CREATE USER " + user + " IDENTIFIED BY 'secret'",
        "GRANT " + rights + " ON " + name() + ".* TO " + user);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(
        url.replace("user=root", "user=app_" + name() + "&password=secret")
            .replace("&createDatabaseIfNotExist=true", "&allowPublicKeyRetrieval=true"));
    config.setMaximumPoolSize(10);
    config.setMinimumIdle(1);
    return new HikariDataSource(config);
  }

  private void createTablesAsRoot() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(1);
    try (HikariDataSource root = new HikariDataSource(config)) {
      JdbcMessageStore.on(root).schema().apply();
      InboxTable.builder(root).createTables(true).build().open();
    }
  }

  @Test
  void publishersRelaysAndOperatorsNeedRightsOnRowsOnly() throws Exception {
    createTablesAsRoot();
    AtomicBoolean broken = new AtomicBoolean(true);
    try (HikariDataSource dataSource = user(ROWS)) {
      JdbcTransactions transactions = new JdbcTransactions(dataSource);
      JdbcMessageStore store = JdbcMessageStore.on(dataSource);
      assertThat(store.schema().validate()).isEmpty();
      try (Posthorn posthorn =
          Posthorn.inOneProcess(store, transactions)
              .relay(
                  options ->
                      options
                          .retention(Duration.ofDays(1))
                          .retry(RetryPolicy.fixed(Duration.ofMillis(10), 2)))
              .handler("mailer", "mail", String.class, (text, delivery) -> delivered.add(text))
              .handler(
                  HandlerSpec.<String>of(
                          "ledger",
                          "book",
                          String.class,
                          (text, delivery) -> {
                            if (broken.get()) {
                              throw new IllegalStateException("broken");
                            }
                            delivered.add(text);
                          })
                      .transactional())
              .start()) {
        publish(posthorn.outbox(), transactions);
        await.until("two mails", () -> delivered.size() == 2);
        Admin admin = posthorn.admin();
        await.until(
            "a dead letter", () -> admin.deadLetters().count(Admin.Filter.all()).entries() == 1);
        operate(admin, broken);
        await.until("the booking", () -> delivered.contains("booking"));
        assertThat(admin.databaseHealth(Duration.ofMinutes(1)).unseen()).isNotNull();
        await.until("history", () -> admin.history().count(Admin.Filter.all()).entries() == 3);
      }
      assertThat(store.purgeHistory(Duration.ZERO, 10)).isEqualTo(3);
      assertThat(store.purgeIdempotency(Duration.ZERO, 10)).isEqualTo(1);
      InboxTable inbox = InboxTable.on(dataSource);
      transactions.run(
          connection ->
              assertThat(inbox.add(transactions.current(), "consumer", Set.of("1"))).hasSize(1));
      assertThat(inbox.purge(Duration.ZERO, 10)).isEqualTo(1);
    }
  }

  private static void publish(Outbox outbox, JdbcTransactions transactions) throws Exception {
    transactions.run(
        connection -> {
          outbox.publishOnce(Message.of("mail").payload("once").idempotencyKey("key").build());
          outbox.publish(
              Message.of("mail").payload("later").deliverAfter(Duration.ofMillis(10)).build());
          outbox.publish(Message.of("book").key("k").payload("booking").build());
        });
  }

  private static void operate(Admin admin, AtomicBoolean broken) {
    admin.fleet().pauseHandler("ledger");
    admin.fleet().resumeHandler("ledger");
    admin.lanes().block("ledger", "other");
    admin.lanes().unblock("ledger", "other");
    broken.set(false);
    DeadLetters letters = admin.deadLetters();
    letters.setHeaders(
        letters.page(Admin.Filter.all(), null, 1).items().get(0).id(), Map.of("a", "b"));
    assertThat(letters.retryAll(Admin.Filter.all())).isEqualTo(1);
  }

  @Test
  void whoCreatesAndUpgradesTheTablesNeedsRightsOnTablesToo() throws Exception {
    try (HikariDataSource dataSource = user(ROWS + ", " + String.join(", ", TABLES))) {
      createAndUpgrade(dataSource);
    }
  }

  private void createAndUpgrade(HikariDataSource dataSource) {
    JdbcMessageStore.builder(dataSource).createTables(true).build().open();
    JdbcMessageStore.builder(dataSource)
        .dialect(NextVersion.of(dialect()))
        .createTables(true)
        .build()
        .open();
  }

  @Test
  void eachOfTheseRightsIsNeeded() throws Exception {
    for (String right : TABLES) {
      freshDatabase();
      List<String> others = TABLES.stream().filter(other -> !other.equals(right)).toList();
      try (HikariDataSource dataSource = user(ROWS + ", " + String.join(", ", others))) {
        assertThatThrownBy(() -> createAndUpgrade(dataSource))
            .as("without " + right)
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("denied");
      }
    }
  }
}
