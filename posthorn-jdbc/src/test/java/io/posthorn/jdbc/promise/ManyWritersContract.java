/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fault.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Sixteen writers, half of them at REPEATABLE READ and half at READ COMMITTED, and three relays.
 * Some messages have idempotency keys that others have too, some are delayed. No writer sees a
 * deadlock or waits in vain, and each message is delivered once, in the order of its key.
 */
abstract class ManyWritersContract {
  private static final int WRITERS = 16;
  private static final int ACCOUNTS = 40;
  private static final int KEYS = 300;

  private final Map<String, List<Long>> changes = new ConcurrentHashMap<>();
  private final Set<String> claimed = ConcurrentHashMap.newKeySet();
  private final List<String> once = new CopyOnWriteArrayList<>();
  private final LongAdder delayed = new LongAdder();
  private final LongAdder delayedDelivered = new LongAdder();
  private final LongAdder commits = new LongAdder();
  private final List<Entry> running = new ArrayList<>();
  private final ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
  private final Await await = new Await(() -> commits + " commits, " + changes.keySet());
  private HikariDataSource pool;

  /** An account whose change is given up. */
  private static final class GivenUp extends Exception {
    private static final long serialVersionUID = 1L;
  }

  private record Entry(JdbcTransactions transactions, Posthorn posthorn) {}

  /** Where an empty database is. */
  protected abstract String freshDatabase();

  /** How many transactions they commit together. */
  protected int transactions() {
    return 600;
  }

  @BeforeEach
  void open() throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(freshDatabase());
    config.setMaximumPoolSize(WRITERS + 14);
    config.setMinimumIdle(3);
    pool = new HikariDataSource(config);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id int PRIMARY KEY, changes bigint NOT NULL)");
      for (int account = 0; account < ACCOUNTS; account++) {
        statement.execute("INSERT INTO account VALUES (" + account + ", 0)");
      }
    }
    JdbcMessageStore.builder(pool).createTables(true).build().open();
  }

  @AfterEach
  void close() {
    writers.shutdownNow();
    running.forEach(entry -> entry.posthorn.close());
    pool.close();
  }

  @Test
  void nobodySeesADeadlockAndEachMessageComesOnceAndInOrder() throws Exception {
    for (String name : List.of("a", "b", "c")) {
      running.add(relay(name));
    }
    List<Future<Void>> writing = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      int isolation =
          i % 2 == 0
              ? Connection.TRANSACTION_REPEATABLE_READ
              : Connection.TRANSACTION_READ_COMMITTED;
      writing.add(writers.submit(writer(isolation, running.get(i % 3))));
    }
    for (Future<Void> writer : writing) {
      writer.get(2, TimeUnit.MINUTES);
    }
    Map<String, List<Long>> expected = expected();
    long total = expected.values().stream().mapToLong(List::size).sum();
    await.untilReached(
        "delivered", total, () -> changes.values().stream().mapToLong(List::size).sum());
    await.until("all that are delayed", () -> delayedDelivered.sum() >= delayed.sum());
    await.until("those with a key of their own", () -> once.size() >= claimed.size());

    assertThat(new TreeMap<>(changes)).isEqualTo(expected);
    assertThat(once).containsExactlyInAnyOrderElementsOf(claimed);
    assertThat(delayedDelivered.sum()).isEqualTo(delayed.sum()).isPositive();
  }

  private Entry relay(String name) {
    JdbcTransactions transactions = new JdbcTransactions(pool);
    return new Entry(transactions, relay(name, transactions));
  }

  private Posthorn relay(String name, JdbcTransactions transactions) {
    return Posthorn.inOneProcess(JdbcMessageStore.builder(pool).build(), transactions)
        .relay(options -> options.name(name))
        .handler("ledger", "changed", String.class, this::note)
        .handler("once", "once", String.class, (text, delivery) -> once.add(text))
        .handler("later", "later", String.class, (text, delivery) -> delayedDelivered.increment())
        .start();
  }

  private void note(String text, Delivery delivery) {
    changes
        .computeIfAbsent(delivery.key(), any -> new CopyOnWriteArrayList<>())
        .add(Long.valueOf(text));
  }

  private Callable<Void> writer(int isolation, Entry entry) {
    return () -> {
      while (commits.sum() < transactions()) {
        try {
          entry.transactions.run(connection -> change(connection, isolation, entry.posthorn));
          commits.increment();
        } catch (GivenUp e) {
          // Rolled back.
        }
      }
      return null;
    };
  }

  private void change(Connection connection, int isolation, Posthorn publisher)
      throws SQLException, GivenUp {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    connection.setTransactionIsolation(isolation);
    String key = "k-" + random.nextInt(KEYS);
    int account = random.nextInt(ACCOUNTS);
    long number = changed(connection, account);
    publisher
        .outbox()
        .publish(Message.of("changed").key("a-" + account).payload(number + "").build());
    boolean givesUp = random.nextInt(8) == 0;
    if (random.nextInt(3) == 0) {
      boolean taken =
          publisher
              .outbox()
              .publishOnce(Message.of("once").payload(key).idempotencyKey(key).build())
              .alreadyPublished();
      if (!taken && !givesUp) {
        claimed.add(key);
      }
    }
    if (random.nextInt(3) == 0) {
      publisher
          .outbox()
          .publish(Message.of("later").payload("x").deliverAfter(Duration.ofMillis(50)).build());
      if (!givesUp) {
        delayed.increment();
      }
    }
    if (givesUp) {
      throw new GivenUp();
    }
  }

  private static long changed(Connection connection, int account) throws SQLException {
    try (PreparedStatement update =
            connection.prepareStatement("UPDATE account SET changes = changes + 1 WHERE id = ?");
        PreparedStatement read =
            connection.prepareStatement("SELECT changes FROM account WHERE id = ?")) {
      update.setInt(1, account);
      update.executeUpdate();
      read.setInt(1, account);
      try (ResultSet row = read.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private Map<String, List<Long>> expected() throws SQLException {
    Map<String, List<Long>> expected = new TreeMap<>();
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT id, changes FROM account WHERE changes > 0")) {
      while (rows.next()) {
        expected.put(
            "a-" + rows.getInt(1), LongStream.rangeClosed(1, rows.getLong(2)).boxed().toList());
      }
    }
    return expected;
  }
}
