/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.inbox.Inbox;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.jdbc.JdbcTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * Consumers of what the relay sends to a broker. Each message's effect is a row, written through
 * the inbox. They fail before and after it, and before they tell the broker.
 */
public final class BrokerConsumers {
  private static final long PAUSE_AFTER_FAILURE = 200_000_000;
  private static final int FAILS_ONCE_OF = 300;

  private final InstanceSettings settings;
  private final JdbcTransactions transactions;
  private final Inbox inbox;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  BrokerConsumers(InstanceSettings settings, DataSource dataSource, JdbcTransactions transactions) {
    this.settings = settings;
    this.transactions = transactions;
    this.inbox = Inbox.on(InboxTable.on(dataSource), transactions);
  }

  /** The topics or exchanges that messages are sent to. */
  public static List<String> destinations() {
    return MessageBroker.DESTINATIONS;
  }

  /** Starts one for each name, if there is a broker. */
  void start() {
    for (String consumer : ChaosTables.CONSUMERS) {
      if (!settings.broker().isEmpty()) {
        Random random = new Random(settings.seed() * 17 + consumer.hashCode());
        Thread thread = new Thread(() -> consume(consumer, random), "consumer-" + consumer);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
      }
    }
  }

  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void consume(String consumer, Random random) {
    MessageBroker broker = MessageBroker.at(settings.broker());
    while (!stopped) {
      try (MessageBroker.Subscription subscription = broker.subscribe(consumer)) {
        while (!stopped) {
          handle(consumer, subscription.poll(), random);
          failAtTimes(random);
          subscription.acknowledge();
        }
      } catch (Exception e) { // as planned, or something is away
        System.err.println("consumer \"" + consumer + "\": " + e);
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE);
      }
    }
  }

  private void handle(String consumer, List<String> ids, Random random) throws SQLException {
    if (consumer.equals(ChaosTables.BATCH_CONSUMER)) {
      inbox.onceEach(consumer, ids, id -> id, fresh -> take(consumer, fresh, random));
      return;
    }
    for (String id : ids) {
      inbox.once(consumer, id, () -> take(consumer, List.of(id), random));
    }
  }

  private void take(String consumer, List<String> ids, Random random) throws SQLException {
    Connection connection = transactions.current().unwrap(Connection.class);
    for (String id : ids) {
      failAtTimes(random);
      ChaosTables.insertConsumed(connection, consumer, UUID.fromString(id));
      failAtTimes(random);
    }
  }

  private static void failAtTimes(Random random) {
    if (random.nextInt(FAILS_ONCE_OF) == 0) {
      throw new IllegalStateException("fails, as planned");
    }
  }
}
