/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static java.util.Objects.requireNonNull;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Posthorn as a program without a framework uses it, with its defaults. */
final class PosthornSubject implements Subject {
  private static final String TYPE = "order-placed";

  private final DataSource dataSource;
  private final JdbcTransactions transactions;
  private final Posthorn publisher;
  private @Nullable Posthorn relay;

  PosthornSubject(SubjectDatabase database) {
    this.dataSource = database.dataSource();
    this.transactions = new JdbcTransactions(dataSource);
    this.publisher = Posthorn.publishOnly(store().build(), transactions).build();
  }

  private JdbcMessageStore.Builder store() {
    return JdbcMessageStore.builder(dataSource);
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
          posthorn.outbox().publishAll(orders.stream().map(PosthornSubject::message).toList());
        });
  }

  private static Message message(Order order) {
    return Message.of(TYPE).key(order.keyText()).payload(order.json()).build();
  }

  @Override
  public void startRelay(Consumer<Order> handler) {
    relay =
        Posthorn.inOneProcess(store().build(), transactions)
            .handler(
                "measure",
                TYPE,
                byte[].class,
                (payload, delivery) ->
                    handler.accept(Order.parse(requireNonNull(payload, "payload"))))
            .build();
    relay.start();
  }

  @Override
  public void stopRelay() {
    requireNonNull(relay, "relay").stop(Duration.ofSeconds(30));
    relay = null;
  }

  @Override
  public void close() {
    publisher.close();
  }
}
