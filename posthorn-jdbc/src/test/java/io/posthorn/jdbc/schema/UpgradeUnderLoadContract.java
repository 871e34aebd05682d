/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.Dialect;
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
import java.util.TreeMap;
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
import org.junit.jupiter.api.Test;

/**
 * An outbox with a backlog, whose tables are upgraded while a program for the old version publishes
 * and delivers: publishers notice nothing, and each message is delivered once, in the order of its
 * key. Then both versions run side by side.
 */
abstract class UpgradeUnderLoadContract extends FreshDatabaseContract {
  private static final int WRITERS = 4;
  private static final int ACCOUNTS = 12;
  private static final int BACKLOG = 2_000;
  private static final int DELAYED = 100;

  private final Map<String, List<Long>> changes = new ConcurrentHashMap<>();
  private final LongAdder commits = new LongAdder();
  private final List<Program> running = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS + 2);
  private final Await await = new Await(() -> commits + " commits, " + database().rows());
  private volatile boolean enough;

  private record Program(JdbcTransactions transactions, Posthorn posthorn) {}

  @AfterEach
  void stop() {
    enough = true;
    threads.shutdownNow();
    running.forEach(program -> program.posthorn.close());
  }

  private JdbcMessageStore store(Dialect dialect) {
    return database().builder().dialect(dialect).build();
  }

  private Program start(String name, Dialect dialect) {
    JdbcTransactions transactions = database().transactions();
    Posthorn posthorn =
        Posthorn.inOneProcess(store(dialect), transactions)
            .relay(options -> options.name(name))
            .handler(
                "ledger",
                "changed",
                String.class,
                (text, delivery) ->
                    changes
                        .computeIfAbsent(delivery.key(), key -> new CopyOnWriteArrayList<>())
                        .add(Long.valueOf(text)))
            .start();
    Program program = new Program(transactions, posthorn);
    running.add(program);
    return program;
  }

  private void fill(Posthorn publisher, JdbcTransactions transactions) throws Exception {
    transactions.run(
        connection -> {
          try (Statement statement = connection.createStatement()) {
            for (int account = 0; account < ACCOUNTS; account++) {
              statement.execute("INSERT INTO account VALUES (" + account + ", 0)");
            }
          }
          for (int i = 0; i < BACKLOG; i++) {
            change(connection, publisher, i % ACCOUNTS);
          }
          for (int i = 0; i < DELAYED; i++) {
            publisher
                .outbox()
                .publish(
                    Message.of("changed").payload("1").deliverAfter(Duration.ofDays(1)).build());
          }
        });
  }

  private static void change(Connection connection, Posthorn publisher, int account)
      throws SQLException {
    try (PreparedStatement update =
            connection.prepareStatement("UPDATE account SET changes = changes + 1 WHERE id = ?");
        PreparedStatement read =
            connection.prepareStatement("SELECT changes FROM account WHERE id = ?")) {
      update.setInt(1, account);
      update.executeUpdate();
      read.setInt(1, account);
      try (ResultSet row = read.executeQuery()) {
        row.next();
        publisher
            .outbox()
            .publish(
                Message.of("changed").key("a-" + account).payload(row.getLong(1) + "").build());
      }
    }
  }

  private Void write(Program program) throws Exception {
    while (!enough) {
      program.transactions.run(
          connection ->
              change(connection, program.posthorn, ThreadLocalRandom.current().nextInt(ACCOUNTS)));
      commits.increment();
    }
    return null;
  }

  private void awaitCommits(int more) {
    long goal = commits.sum() + more;
    await.untilReached("commits", goal, commits::sum);
  }

  @Test
  void publishersNoticeNothingAndNothingIsLostOrReordered() throws Exception {
    database().execute("CREATE TABLE account (id int PRIMARY KEY, changes bigint NOT NULL)");
    Dialect shipped = database().dialect();
    Dialect next = NextVersion.of(shipped.name());
    JdbcTransactions transactions = database().transactions();
    try (Posthorn publisher =
        Posthorn.publishOnly(store(shipped), transactions)
            .publish(options -> options.promotedElsewhere(true))
            .start()) {
      fill(publisher, transactions);
    }
    Program old = start("old", shipped);
    List<Future<Void>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS / 2; i++) {
      writers.add(threads.submit(() -> write(old)));
    }
    awaitCommits(20);

    List<Future<List<Integer>>> upgrades = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      upgrades.add(threads.submit(() -> store(next).schema().apply()));
    }
    for (Future<List<Integer>> upgrade : upgrades) {
      upgrade.get(60, TimeUnit.SECONDS);
    }
    assertThat(database().number("SELECT max(version) FROM outbox_schema")).isEqualTo(2);

    Program fresh = start("fresh", next);
    Program late = start("late", shipped);
    for (Program program : List.of(fresh, late)) {
      writers.add(threads.submit(() -> write(program)));
    }
    awaitCommits(100);
    enough = true;
    for (Future<Void> writer : writers) {
      writer.get(60, TimeUnit.SECONDS);
    }
    Map<String, List<Long>> expected = expected();
    long total = expected.values().stream().mapToLong(List::size).sum();
    await.untilReached(
        "delivered", total, () -> changes.values().stream().mapToLong(List::size).sum());

    assertThat(new TreeMap<>(changes)).isEqualTo(expected);
    assertThat(total).isGreaterThan(BACKLOG + 100);
    assertThat(database().number("SELECT count(*) FROM outbox_deferred")).isEqualTo(DELAYED);
    assertThat(database().number("SELECT count(*) FROM outbox_dead")).isZero();
  }

  private Map<String, List<Long>> expected() throws SQLException {
    Map<String, List<Long>> expected = new TreeMap<>();
    try (Connection connection = database().dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id, changes FROM account")) {
      while (rows.next()) {
        expected.put(
            "a-" + rows.getInt(1), LongStream.rangeClosed(1, rows.getLong(2)).boxed().toList());
      }
    }
    return expected;
  }
}
