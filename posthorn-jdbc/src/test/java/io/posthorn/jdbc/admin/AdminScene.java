/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.admin;

import io.posthorn.Admin;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A PostgreSQL database with a publisher, and relays whose handler fails as it is told. */
abstract class AdminScene extends OneDatabase {

  final List<String> got = new ArrayList<>();
  final List<Delivery> deliveries = new ArrayList<>();

  /** By payload. */
  final Map<String, RuntimeException> failures = new HashMap<>();

  /** The API, used from the process that only publishes. */
  Admin admin() {
    return publisher.admin();
  }

  @Override
  protected SteppedRelay relay(String name) {
    return relay(name, any -> {});
  }

  @Override
  protected SteppedRelay relay(String name, Consumer<Posthorn.Builder> more) {
    return relay(name, spec -> spec, more);
  }

  SteppedRelay relay(
      String name, UnaryOperator<HandlerSpec<String>> handler, Consumer<Posthorn.Builder> more) {
    return relay(
        name,
        store,
        builder -> {
          builder.handler(handler.apply(HandlerSpec.of(HANDLER, TYPE, String.class, this::handle)));
          more.accept(builder);
        });
  }

  private void handle(String payload, Delivery delivery) {
    RuntimeException failure = failures.get(payload);
    if (failure != null) {
      throw failure;
    }
    got.add(payload);
    deliveries.add(delivery);
  }

  /** One that is given up at the first failure. */
  static HandlerSpec<String> givingUp(HandlerSpec<String> spec) {
    return spec.retry(RetryPolicy.exponential(Duration.ofHours(1), Duration.ofHours(1), 1));
  }

  /** One that is tried again an hour later. */
  static HandlerSpec<String> patient(HandlerSpec<String> spec) {
    return spec.retry(RetryPolicy.exponential(Duration.ofHours(1), Duration.ofHours(1), 10));
  }

  void fail(String payload) {
    failures.put(payload, new IllegalStateException("no route for " + payload));
  }

  void publish(String key, String payload) throws Exception {
    transactions.run(
        connection ->
            publisher.outbox().publish(Message.of(TYPE).key(key).payload(payload).build()));
  }

  /** Lets a second pass, so that the relay polls. */
  void poll(SteppedRelay relay) {
    database.clock().advance(Duration.ofSeconds(1));
    relay.drain();
  }

  /** Lets time pass in steps within the lease. */
  void pass(SteppedRelay relay, Duration time) {
    for (Duration left = time;
        left.compareTo(Duration.ZERO) > 0;
        left = left.minus(Duration.ofSeconds(10))) {
      database.clock().advance(Duration.ofSeconds(10));
      relay.drain();
    }
  }

  /**
   * Dead letters that nobody can deliver. Pairs of them share a seq, and one in five has another
   * error.
   */
  void insertDeadLetters(int count) {
    database.execute(
        """
        INSERT INTO outbox_dead (partition_no, seq, handler, id, type, message_key, content_type, payload,
                                 occurred_at, created_at, attempts, error, died_at)
        SELECT (n / 2) %% 64, 1 + n / 2, CASE n %% 2 WHEN 0 THEN 'audit' ELSE 'mailer' END, gen_random_uuid(),
               'order-placed', 'key-' || n %% 5000, 'text/plain', convert_to(repeat('x', 300), 'UTF8'),
               now(), now(), 3, CASE n %% 5 WHEN 0 THEN 'timeout' ELSE 'refused' END, now()
          FROM generate_series(0, %d) AS n
        """
            .formatted(count - 1));
    database.execute("ANALYZE outbox_dead");
  }

  List<EntryId> deadLetters() {
    return admin().deadLetters().page(Filter.all(), null, 100).items().stream()
        .map(Admin.Entry::id)
        .toList();
  }

  List<EntryId> deferred() {
    return admin().deferred().page(Filter.all(), null, 100).items().stream()
        .map(Admin.Entry::id)
        .toList();
  }
}
