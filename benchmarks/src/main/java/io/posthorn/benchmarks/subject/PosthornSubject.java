/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static java.util.Objects.requireNonNull;

import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.Route;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.kafka.KafkaSender;
import io.posthorn.spi.Sender;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Posthorn as a program without a framework uses it, with its defaults. */
final class PosthornSubject implements Subject {
  private static final String TYPE = "order-placed";
  private static final String SECOND_TYPE = "order-placed-second";
  private static final int GROUP = 1_000;
  private static final Duration CLUTTER_PATIENCE = Duration.ofMinutes(2);
  private static final Duration CLUTTER_LOOK = Duration.ofMillis(50);

  private final DataSource dataSource;
  private final DataSource relayDataSource;
  private final JdbcTransactions transactions;
  private final Posthorn publisher;
  private final @Nullable KafkaTopic topic;
  private @Nullable KafkaSender sender;
  private @Nullable Posthorn relay;
  private volatile boolean secondUsed;

  PosthornSubject(SubjectDatabase database) {
    this(database, null);
  }

  /**
   * @param topic null: messages go to a handler of the process
   */
  PosthornSubject(SubjectDatabase database, @Nullable KafkaTopic topic) {
    this.topic = topic;
    this.dataSource = database.dataSource();
    this.relayDataSource = database.plainDataSource();
    this.transactions = new JdbcTransactions(dataSource);
    this.publisher =
        Posthorn.publishOnly(store().build(), transactions)
            .publish(publish -> publish.promotedElsewhere(true))
            .build();
  }

  private JdbcMessageStore.Builder store() {
    return JdbcMessageStore.builder(dataSource).relayDataSource(relayDataSource);
  }

  @Override
  public Map<String, String> settings() {
    return Map.of("settings", "all defaults");
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public void createTables() {
    store().createTables(true).build().open();
  }

  @Override
  public List<String> backlogTables() {
    return List.of("outbox_message");
  }

  /** The rows have the numbers of rows that were delivered: reads begin behind those. */
  @Override
  public List<String> afterRestore() {
    return List.of("UPDATE outbox_partition SET floor_seq = 0");
  }

  @Override
  public String countPending() {
    return "SELECT (SELECT count(*) FROM outbox_message) + (SELECT count(*) FROM outbox_deferred) + (SELECT count(*) FROM outbox_dead)";
  }

  @Override
  public void transact(Business business, List<Order> orders) throws Exception {
    Posthorn posthorn = relay == null ? publisher : relay;
    transactions.run(
        connection -> {
          business.run(connection);
          posthorn.outbox().publishAll(orders.stream().map(this::toEither).toList());
        });
  }

  private Message toEither(Order order) {
    boolean second = secondUsed && order.key() % SECOND_ONE_IN == 0;
    return message(second ? SECOND_TYPE : TYPE, order);
  }

  private static Message message(Order order) {
    return message(TYPE, order);
  }

  private static Message message(String type, Order order) {
    return Message.of(type).key(order.keyText()).payload(order.json()).build();
  }

  @Override
  public void startRelay(Consumer<Order> handler) {
    if (topic == null) {
      startRelay(measuring(handler));
      return;
    }
    KafkaSender kafka = KafkaSender.connect(topic.settings());
    sender = kafka;
    Sender measured =
        message ->
            kafka
                .send(message)
                .thenRun(() -> handler.accept(Order.parse(requireNonNull(message.payload()))));
    start(
        relay ->
            relay
                .sender("kafka", measured)
                .route(Route.type(TYPE).to("kafka", KafkaTopic.NAME))
                .route(Route.type(SECOND_TYPE).to("kafka", KafkaTopic.SECOND)));
  }

  private static HandlerSpec<byte[]> measuring(Consumer<Order> handler) {
    return HandlerSpec.of(
        "measure",
        TYPE,
        byte[].class,
        (payload, delivery) -> handler.accept(Order.parse(requireNonNull(payload, "payload"))));
  }

  private void startRelay(HandlerSpec<byte[]> handler) {
    start(relay -> relay.handler(handler));
  }

  private void start(UnaryOperator<Posthorn.Builder> settings) {
    relay = settings.apply(Posthorn.inOneProcess(store().build(), transactions)).start();
  }

  @Override
  public void stopRelay() {
    requireNonNull(relay, "relay").stop(Duration.ofSeconds(30));
    relay = null;
    if (sender != null) {
      sender.close();
      sender = null;
    }
  }

  @Override
  public void useSecondDestination(boolean used) throws Exception {
    if (topic == null) {
      Subject.super.useSecondDestination(used);
    } else {
      topic.createSecond();
      secondUsed = used;
    }
  }

  @Override
  public void stick(boolean stuck) throws Exception {
    if (topic == null) {
      Subject.super.stick(stuck);
    } else {
      topic.createSecond();
      topic.stick(stuck);
      if (stuck && !secondUsed) {
        topic.awaitSingleReplica(); // it is stuck from its first message on
      }
    }
  }

  /** Keys are blocked in the way they would be: their first message fails for good. */
  @Override
  public void clutter(int delayed, int blockedKeys) throws Exception {
    publishInGroups(
        delayed,
        number ->
            message(Order.of(number, number % Order.KEYS)).toBuilder()
                .deliverAfter(Duration.ofDays(1))
                .build());
    for (int round = 0; round < 2; round++) {
      publishInGroups(
          blockedKeys,
          number -> message(Order.of(number, 0)).toBuilder().key("blocked-" + number).build());
    }
    Consumer<Order> refusal =
        order -> {
          throw new IllegalStateException("refused, so that the key is blocked");
        };
    startRelay(
        measuring(refusal).lanePolicy(HandlerSpec.LanePolicy.BLOCK).retry(RetryPolicy.none()));
    long end = System.nanoTime() + CLUTTER_PATIENCE.toNanos();
    while (count("SELECT count(*) FROM outbox_message") > 0) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException(
            "keys not blocked within "
                + CLUTTER_PATIENCE
                + ": "
                + requireNonNull(relay).relay().status());
      }
      LockSupport.parkNanos(CLUTTER_LOOK.toNanos());
    }
    stopRelay();
  }

  private void publishInGroups(int count, IntFunction<Message> message) throws Exception {
    for (int from = 0; from < count; from += GROUP) {
      List<Message> group =
          IntStream.range(from, Math.min(count, from + GROUP)).mapToObj(message).toList();
      transactions.run(connection -> publisher.outbox().publishAll(group));
    }
  }

  private long count(String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  @Override
  public List<String> clutterTables() {
    return List.of("outbox_deferred", "outbox_dead");
  }

  @Override
  public void close() {
    publisher.close();
    if (topic != null) {
      topic.close();
    }
  }
}
