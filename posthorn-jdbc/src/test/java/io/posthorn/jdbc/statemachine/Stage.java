/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.statemachine;

import io.posthorn.Admin;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.DeliveryResult;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.spi.MessageStore;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The tables for one story, and what stories are made of. */
final class Stage implements AutoCloseable {
  static final String TYPE = "order-placed";
  static final String HANDLER = "mailer";
  static final Duration HOUR = Duration.ofHours(1);
  private static final Duration LONGER_THAN_LEASE = SteppedRelay.LEASE.plusSeconds(10);

  private final TestDatabase database;
  private final JdbcTransactions transactions;
  private final MessageStore store;
  private final Posthorn publisher;
  private final List<SteppedRelay> living = new ArrayList<>();
  private final List<SteppedRelay> killed = new ArrayList<>();
  private int relays;

  /** What the handler says. */
  DeliveryResult answer = DeliveryResult.delivered();

  /**
   * @param database with empty tables; they are emptied again at the end
   */
  Stage(TestDatabase database) {
    this.database = database;
    this.transactions = database.transactions();
    this.store = database.store();
    this.publisher =
        Posthorn.publishOnly(store, transactions)
            .clock(database.clock())
            .publish(options -> options.promotedElsewhere(true))
            .build();
  }

  TestDatabase database() {
    return database;
  }

  /** Used from the process that only publishes. */
  Admin admin() {
    return publisher.admin();
  }

  // --- publish

  void publish(String key) throws Exception {
    publish(message(key));
  }

  void publish(Message.Builder message) throws Exception {
    transactions.run(connection -> publisher.outbox().publish(message.build()));
  }

  static Message.Builder message(String key) {
    return Message.of(TYPE).key(key).payload("{}");
  }

  // --- relays

  /** A relay whose handler answers as it is told, and fails for an hour. */
  SteppedRelay relay() {
    return relay(spec -> spec, builder -> {});
  }

  SteppedRelay relay(
      UnaryOperator<HandlerSpec<String>> handler, Consumer<Posthorn.Builder> settings) {
    HandlerSpec<String> spec =
        HandlerSpec.deciding(HANDLER, TYPE, String.class, (text, delivery) -> answer)
            .retry(RetryPolicy.exponential(HOUR, HOUR, 10));
    return relayOf(
        builder -> {
          builder.handler(handler.apply(spec));
          settings.accept(builder);
        });
  }

  /** A relay with a transactional handler whose transactions are at REPEATABLE READ. */
  SteppedRelay repeatableRead() {
    HandlerSpec<String> spec =
        HandlerSpec.of(
                HANDLER,
                TYPE,
                String.class,
                (text, delivery) -> {
                  Connection connection = transactions.current().unwrap(Connection.class);
                  try (Statement statement = connection.createStatement()) {
                    statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
                  }
                })
            .transactional();
    return relayOf(builder -> builder.handler(spec));
  }

  /** A relay with other handlers. */
  SteppedRelay relayOf(Consumer<Posthorn.Builder> settings) {
    relays++;
    SteppedRelay relay =
        new SteppedRelay("relay-" + relays, store, transactions, database.clock(), settings);
    living.add(relay);
    return relay;
  }

  /** Keeps what is delivered for a day. */
  static void keeping(Posthorn.Builder builder) {
    builder.relay(options -> options.retention(Duration.ofDays(1)));
  }

  void stop(SteppedRelay relay) {
    living.remove(relay);
    relay.close();
  }

  /** The process of this relay is dead: it does nothing any more, and its lease runs out. */
  void kill(SteppedRelay relay) {
    living.remove(relay);
    killed.add(relay);
    database.clock().advance(LONGER_THAN_LEASE);
  }

  /** Two processes die one after the other while they hold everything. */
  void twoCrashes() {
    for (int i = 0; i < 2; i++) {
      SteppedRelay relay = relay();
      relay.steps().step("lease");
      kill(relay);
    }
  }

  /** Lets time pass in steps within the lease. */
  void pass(Duration time, SteppedRelay... relays) {
    for (Duration left = time; !left.isNegative(); left = left.minusSeconds(10)) {
      database.clock().advance(Duration.ofSeconds(10));
      for (SteppedRelay relay : relays) {
        relay.drain();
      }
    }
  }

  // --- what is there

  List<EntryId> deadLetters() {
    return ids(admin().deadLetters().page(Filter.all(), null, 100));
  }

  List<EntryId> deferred() {
    return ids(admin().deferred().page(Filter.all(), null, 100));
  }

  List<EntryId> history() {
    return ids(admin().history().page(Filter.all(), null, 100));
  }

  private static List<EntryId> ids(Admin.Page<? extends Admin.Entry> page) {
    return page.items().stream().map(Admin.Entry::id).toList();
  }

  void stopAll() {
    List.copyOf(living).forEach(this::stop);
  }

  /** The story is over, so what those who were killed do now does not matter. */
  @Override
  public void close() {
    stopAll();
    killed.forEach(SteppedRelay::close);
    publisher.close();
    database.execute(
        "TRUNCATE outbox_message, outbox_deferred, outbox_dead, outbox_history, outbox_pause, outbox_action, outbox_instance, outbox_heartbeat, outbox_gone");
    database.execute(
        "UPDATE outbox_partition SET owner_id = NULL, owner_incarnation = NULL, crashes = 0, floor_seq = 0");
    database.execute("UPDATE outbox_deferred_floor SET seq_floor = 0, due_floor = DEFAULT");
  }
}
