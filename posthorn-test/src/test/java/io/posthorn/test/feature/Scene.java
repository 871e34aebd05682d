/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.MessageStore;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.MutableClock;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/** A store in memory, a clock, and relays that run step by step. */
public final class Scene implements AutoCloseable {
  /** Ten attempts, a second after each. */
  public static final RetryPolicy EACH_SECOND =
      RetryPolicy.exponential(Duration.ofSeconds(1), Duration.ofSeconds(1), 10);

  private final MutableClock clock = new MutableClock();
  private final InMemoryStore store;
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final List<SteppedRelay> relays = new ArrayList<>();

  public Scene(int partitions) {
    this.store = new InMemoryStore(clock, partitions);
  }

  public MutableClock clock() {
    return clock;
  }

  public InMemoryStore store() {
    return store;
  }

  public InMemoryTransactions transactions() {
    return transactions;
  }

  public StoredRows rows() {
    return store.rows();
  }

  /** Starts a relay on the store. */
  public SteppedRelay relay(String name, Consumer<Posthorn.Builder> settings) {
    return relay(name, store, settings);
  }

  /** Starts a relay on a store that wraps the scene's. */
  public SteppedRelay relay(
      String name, MessageStore wrapped, Consumer<Posthorn.Builder> settings) {
    SteppedRelay relay = new SteppedRelay(name, wrapped, this, settings);
    relays.add(relay);
    return relay;
  }

  /** Publishes in a transaction of its own. */
  public List<UUID> publish(Posthorn posthorn, Message... messages) {
    List<UUID> ids = new ArrayList<>();
    transactions.run(() -> ids.addAll(posthorn.outbox().publishAll(List.of(messages))));
    return ids;
  }

  /** A message with text as its payload. */
  public static Message message(String type, String key, String payload) {
    return Message.of(type).key(key).payload(payload).build();
  }

  @Override
  public void close() {
    relays.forEach(SteppedRelay::close);
  }
}
