/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer.tracing;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.MutableClock;
import io.posthorn.test.StepRunner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Two processes on one store: a shop that only publishes, and a worker that only delivers. */
final class Stage implements AutoCloseable {
  private final MutableClock clock = new MutableClock();
  private final InMemoryStore store = new InMemoryStore(clock, 1);
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final StepRunner steps = new StepRunner();
  private final List<Runnable> closing = new ArrayList<>();
  private final TracedProcess shop = new TracedProcess();
  private final TracedProcess worker = new TracedProcess();
  private final Posthorn publisher;

  Stage() {
    this.publisher =
        Posthorn.publishOnly(store, transactions)
            .clock(clock)
            .contextProvider(shop.contextProvider())
            .start();
    closing.addAll(List.of(shop::close, worker::close, publisher::close));
  }

  TracedProcess shop() {
    return shop;
  }

  TracedProcess worker() {
    return worker;
  }

  InMemoryTransactions transactions() {
    return transactions;
  }

  /** Publishes in the shop, in a transaction of its own. */
  void publish(Message... messages) {
    transactions.run(() -> publisher.outbox().publishAll(List.of(messages)));
  }

  /** Starts the worker, which observes what it delivers. */
  Posthorn deliver(Consumer<Posthorn.Builder> settings) {
    return deliver(worker.interceptor(), settings);
  }

  Posthorn deliver(ObservationInterceptor interceptor, Consumer<Posthorn.Builder> settings) {
    Posthorn.Builder builder =
        Posthorn.inOneProcess(store, transactions)
            .clock(clock)
            .ticker(clock.ticker())
            .dutyRunner(steps)
            .interceptor(interceptor)
            .relay(
                relay ->
                    relay
                        .executor(Runnable::run)
                        .retry(
                            RetryPolicy.exponential(
                                Duration.ofSeconds(1), Duration.ofSeconds(1), 10)));
    settings.accept(builder);
    Posthorn posthorn = builder.start();
    closing.add(posthorn::close);
    return posthorn;
  }

  void drain() {
    steps.drain();
  }

  /** Lets so much time pass that what failed is tried again. */
  void retry() {
    clock.advance(Duration.ofSeconds(2));
    drain();
  }

  /** Whether no message is left. */
  boolean isEmpty() {
    return store.rows().noMessages();
  }

  @Override
  public void close() {
    for (int i = closing.size() - 1; i >= 0; i--) {
      closing.get(i).run();
    }
  }
}
