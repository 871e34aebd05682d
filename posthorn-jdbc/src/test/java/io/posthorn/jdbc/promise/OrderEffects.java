/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.spi.MessageStore;
import io.posthorn.test.StoreAssert;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Orders that are placed and then shipped, under one key each. Two transactional handlers write
 * their effects into a table of the same database: {@code ledger} those of placed orders, {@code
 * audit} those of shipped ones, which {@code mailer} gets too.
 */
final class OrderEffects implements AutoCloseable {
  static final String LEDGER = "ledger";
  static final String AUDIT = "audit";
  static final String MAILER = "mailer";

  /** In the database only while a version of the application is live that has it. */
  static final String ARCHIVE = "archive";

  private static final RetryPolicy EACH_SECOND = RetryPolicy.fixed(Duration.ofSeconds(1), 1_000);

  private final TestDatabase database;
  private final JdbcTransactions transactions;
  private final MessageStore store;
  private final Posthorn publisher;
  private final List<UUID> placed = new ArrayList<>();
  private final List<UUID> shipped = new ArrayList<>();
  private final List<UUID> mailed = new CopyOnWriteArrayList<>();
  private final Map<String, Meanwhile> meanwhile = new ConcurrentHashMap<>();
  private final AtomicInteger calls = new AtomicInteger();

  /** What happens in the middle of a delivery, before its effect. */
  interface Meanwhile {
    void during(Delivery delivery) throws Exception;
  }

  OrderEffects(TestDatabase database) {
    this.database = database;
    this.transactions = database.transactions();
    this.store = database.store();
    this.publisher = Posthorn.publishOnly(store, transactions).clock(database.clock()).build();
    store.open();
    database.execute(
        "CREATE TABLE effect (message_id varchar(36) NOT NULL, handler varchar(20) NOT NULL)");
  }

  TestDatabase database() {
    return database;
  }

  JdbcTransactions transactions() {
    return transactions;
  }

  MessageStore store() {
    return store;
  }

  // --- handlers

  /** The handlers that all versions of the application have. */
  void handlers(Posthorn.Builder builder) {
    builder
        .handler(transactional(LEDGER, "placed"))
        .handler(transactional(AUDIT, "shipped"))
        .handler(HandlerSpec.of(MAILER, "shipped", String.class, mail()).retry(EACH_SECOND));
  }

  /** The same, and one that only newer versions have. */
  void handlersOfNewVersion(Posthorn.Builder builder) {
    handlers(builder);
    builder.handler(transactional(ARCHIVE, "placed").alsoType("shipped"));
  }

  private HandlerSpec<String> transactional(String name, String type) {
    return HandlerSpec.of(name, type, String.class, effect()).transactional().retry(EACH_SECOND);
  }

  private Handler<String> effect() {
    return (payload, delivery) -> {
      calls.incrementAndGet();
      meanwhile(delivery);
      Connection connection = transactions.current().unwrap(Connection.class);
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO effect VALUES (?, ?)")) {
        insert.setString(1, delivery.messageId().toString());
        insert.setString(2, delivery.handler());
        insert.executeUpdate();
      }
    };
  }

  private Handler<String> mail() {
    return (payload, delivery) -> {
      meanwhile(delivery);
      mailed.add(delivery.messageId());
    };
  }

  private void meanwhile(Delivery delivery) throws Exception {
    Meanwhile planned = meanwhile.get(delivery.handler());
    if (planned != null) {
      planned.during(delivery);
    }
  }

  /** Says what happens in the middle of each delivery of a handler. */
  void during(String handler, Meanwhile action) {
    meanwhile.put(handler, action);
  }

  /** Something happens in the middle of the next delivery of a handler. */
  void duringNext(String handler, Meanwhile action) {
    during(
        handler,
        delivery -> {
          meanwhile.remove(handler);
          action.during(delivery);
        });
  }

  /** From now on nothing but deliveries happens. */
  void calm() {
    meanwhile.clear();
  }

  // --- publishing

  /** One order of each of so many keys: placed and shipped in one transaction. */
  void publish(int keys) throws Exception {
    for (int i = 0; i < keys; i++) {
      String key = "order-" + i;
      transactions.run(
          connection -> {
            placed.add(publisher.outbox().publish(message("placed", key)));
            shipped.add(publisher.outbox().publish(message("shipped", key)));
          });
    }
  }

  private static Message message(String type, String key) {
    return Message.of(type).key(key).payload("{}").build();
  }

  // --- the truth

  /** How often transactional handlers were called. */
  int calls() {
    return calls.get();
  }

  boolean allSettled() {
    return database.rows().noMessages();
  }

  String evidence() {
    return "ledger %d of %d, audit %d of %d, mails %d%n%s"
        .formatted(
            effects(LEDGER).size(),
            placed.size(),
            effects(AUDIT).size(),
            shipped.size(),
            mailed.size(),
            database.rows());
  }

  /** Each effect is there once, and no row is left. */
  void assertEffectsOnce() {
    assertThat(effects(LEDGER)).as(LEDGER).containsExactlyInAnyOrderElementsOf(placed);
    assertThat(effects(AUDIT)).as(AUDIT).containsExactlyInAnyOrderElementsOf(shipped);
    assertThat(mailed).as(MAILER).containsAll(shipped);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  void assertArchivedOnce() {
    List<UUID> all = new ArrayList<>(placed);
    all.addAll(shipped);
    assertThat(effects(ARCHIVE)).as(ARCHIVE).containsExactlyInAnyOrderElementsOf(all);
  }

  /** Nothing went wrong, so handlers without transactions got each message once, too. */
  void assertNoDuplicates() {
    assertThat(mailed).as(MAILER).doesNotHaveDuplicates();
    assertThat(calls).as("calls of transactional handlers").hasValue(count());
  }

  private int count() {
    return (int) database.number("SELECT count(*) FROM effect");
  }

  private List<UUID> effects(String handler) {
    String sql = "SELECT message_id FROM effect WHERE handler = '" + handler + "'";
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement select = connection.prepareStatement(sql);
        ResultSet rows = select.executeQuery()) {
      List<UUID> found = new ArrayList<>();
      while (rows.next()) {
        found.add(UUID.fromString(rows.getString(1)));
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  @Override
  public void close() {
    publisher.close();
    database.close();
  }
}
