/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.test.DeliveryLog;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
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
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Writers and relays on real threads, no fault: each account counts its committed changes, and each
 * change publishes its number, so that the tables tell exactly what must have been delivered.
 */
@Timeout(120)
class SoakDbTest {
  private static final int ACCOUNTS = 50;
  private static final int WRITERS = 8;
  private static final Duration WRITING = Duration.ofSeconds(6);
  private static final Duration WORK = Duration.ofMillis(30);
  private static final List<String> HANDLERS = List.of("ledger", "mailer");

  private final LiveDatabase database = LiveDatabase.onSharedServer();
  private final Map<String, List<Long>> delivered = new ConcurrentHashMap<>();
  private final Set<String> busyLanes = ConcurrentHashMap.newKeySet();
  private final List<Delivery> overlaps = new CopyOnWriteArrayList<>();
  private final LongAdder commits = new LongAdder();
  private final LongAdder rollBacks = new LongAdder();
  private final LongAdder partialRollBacks = new LongAdder();
  private final DeliveryLog log = new DeliveryLog();
  private final List<Posthorn> running = new CopyOnWriteArrayList<>();
  private final ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
  private final Await await = new Await(this::evidence);

  /** An account whose change is given up. */
  private static final class GivenUp extends Exception {
    private static final long serialVersionUID = 1L;
  }

  /** Where writers publish: beside a relay, or in a process that only publishes. */
  private record Entry(JdbcTransactions transactions, Posthorn posthorn) {}

  @AfterEach
  void stop() {
    writers.shutdownNow();
    running.forEach(Posthorn::close);
    database.close();
  }

  @Test
  void nothingIsLostDoubledInventedOrReordered() throws Exception {
    database.execute("CREATE TABLE account (id int PRIMARY KEY, changes bigint NOT NULL)");
    database.execute(
        "INSERT INTO account SELECT n, 0 FROM generate_series(0, %d) AS n".formatted(ACCOUNTS - 1));
    Entry besideRelay = relay("a");
    Entry leaving = relay("b");
    relay("c");
    Entry publishOnly = publishOnly();

    long end = System.nanoTime() + WRITING.toNanos();
    List<Future<Void>> writing = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      writing.add(writers.submit(writer(i % 2 == 0 ? besideRelay : publishOnly, end)));
    }
    awaitDelivered(500);
    assertThat(leaving.posthorn().stop(Duration.ofSeconds(30))).isTrue();
    awaitDelivered(delivered() + 500);
    relay("d");
    for (Future<Void> writer : writing) {
      writer.get(60, TimeUnit.SECONDS);
    }

    Map<String, List<Long>> expected = expected();
    long total = expected.values().stream().mapToLong(List::size).sum();
    await.until("all are delivered", () -> delivered() >= total);
    // A message that was split at a hand-over has rows of its own, which are settled after it.
    await.until("and settled", () -> database.rows().noMessages());
    assertThat(new TreeMap<>(delivered)).isEqualTo(expected);
    assertThat(overlaps).isEmpty();
    assertThat(log.expelled()).isEmpty();
    assertThat(commits.sum()).isGreaterThan(200);
    assertThat(rollBacks.sum()).isPositive();
    assertThat(partialRollBacks.sum()).isPositive();
    System.out.printf(
        "%d commits, %d roll-backs, %d partial, %d deliveries%n",
        commits.sum(), rollBacks.sum(), partialRollBacks.sum(), total);
  }

  private Entry relay(String name) {
    HikariDataSource pool = database.pool(name, 20);
    JdbcTransactions transactions = new JdbcTransactions(pool);
    Posthorn.Builder builder =
        Posthorn.inOneProcess(LiveDatabase.store(pool).build(), transactions)
            .listener(log)
            .relay(relay -> relay.name(name));
    for (String handler : HANDLERS) {
      builder.handler(
          handler, "changed", String.class, (payload, delivery) -> note(payload, delivery));
    }
    Posthorn posthorn = builder.start();
    running.add(posthorn);
    return new Entry(transactions, posthorn);
  }

  private Entry publishOnly() {
    HikariDataSource pool = database.pool("publisher", WRITERS);
    JdbcTransactions transactions = new JdbcTransactions(pool);
    Posthorn posthorn =
        Posthorn.publishOnly(LiveDatabase.store(pool).build(), transactions).start();
    running.add(posthorn);
    return new Entry(transactions, posthorn);
  }

  /** Takes a moment, so that partitions change hands while deliveries are under way. */
  private void note(String payload, Delivery delivery) {
    String lane = delivery.handler() + " " + delivery.key();
    if (!busyLanes.add(lane)) {
      overlaps.add(delivery);
    }
    delivered.computeIfAbsent(lane, any -> new CopyOnWriteArrayList<>()).add(Long.valueOf(payload));
    LockSupport.parkNanos(WORK.toNanos());
    busyLanes.remove(lane);
  }

  private Callable<Void> writer(Entry entry, long end) {
    return () -> {
      while (System.nanoTime() - end < 0) {
        try {
          entry.transactions().run(connection -> change(entry.posthorn(), connection));
          commits.increment();
        } catch (GivenUp e) {
          rollBacks.increment();
        }
      }
      return null;
    };
  }

  private void change(Posthorn posthorn, Connection connection) throws SQLException, GivenUp {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    int account = random.nextInt(ACCOUNTS);
    long number = lock(connection, account);
    number = changeOnce(posthorn, connection, account, number);
    if (random.nextInt(4) == 0) {
      Savepoint savepoint = connection.setSavepoint();
      long further = changeOnce(posthorn, connection, account, number);
      if (random.nextBoolean()) {
        connection.rollback(savepoint);
        partialRollBacks.increment();
        number = changeOnce(posthorn, connection, account, number);
      } else {
        number = further;
      }
    }
    if (random.nextInt(8) == 0) {
      throw new GivenUp();
    }
  }

  private static long lock(Connection connection, int account) throws SQLException {
    try (PreparedStatement lock =
        connection.prepareStatement("SELECT changes FROM account WHERE id = ? FOR UPDATE")) {
      lock.setInt(1, account);
      try (ResultSet row = lock.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private static long changeOnce(Posthorn posthorn, Connection connection, int account, long before)
      throws SQLException {
    long number = before + 1;
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE account SET changes = ? WHERE id = ?")) {
      update.setLong(1, number);
      update.setInt(2, account);
      update.executeUpdate();
    }
    posthorn
        .outbox()
        .publish(
            Message.of("changed").key("account-" + account).payload(Long.toString(number)).build());
    return number;
  }

  /** The numbers from one to its changes, for each account and handler. */
  private Map<String, List<Long>> expected() {
    Map<String, List<Long>> expected = new TreeMap<>();
    for (int account = 0; account < ACCOUNTS; account++) {
      long changes = database.number("SELECT changes FROM account WHERE id = " + account);
      for (String handler : HANDLERS) {
        if (changes > 0) {
          expected.put(
              handler + " account-" + account, LongStream.rangeClosed(1, changes).boxed().toList());
        }
      }
    }
    return expected;
  }

  private void awaitDelivered(long count) {
    await.until(count + " deliveries", () -> delivered() >= count);
  }

  private long delivered() {
    return delivered.values().stream().mapToLong(List::size).sum();
  }

  private String evidence() {
    return "delivered %d after %d commits%n%s"
        .formatted(delivered(), commits.sum(), database.describe());
  }
}
