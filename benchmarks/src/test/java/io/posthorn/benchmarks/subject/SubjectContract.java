/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the harness expects of a subject, whoever it is. */
@Timeout(120)
abstract class SubjectContract {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String url = freshDatabase();
  private final SubjectDatabase database = new SubjectDatabase(url, 40);
  private final LinkedBlockingQueue<Long> handled = new LinkedBlockingQueue<>();
  private Subject subject;

  abstract Subjects subject();

  /** The URL of an empty one. */
  String freshDatabase() {
    return PostgresServer.shared().freshDatabase();
  }

  @BeforeEach
  void prepare() throws Exception {
    execute("CREATE TABLE business (number bigint PRIMARY KEY)");
    subject = subject().on(database);
    subject.createTables();
  }

  @AfterEach
  void close() throws Exception {
    subject.close();
    database.close();
  }

  @Test
  void eachMessageIsHandledOnceAndThenPendingNoMore() throws Exception {
    transact(0, 3);
    transact(3, 1);
    assertThat(pending()).isEqualTo(4);

    subject.startRelay(order -> handled.add(order.number()));
    transact(4, 2);
    assertThat(await(6)).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L);
    subject.stopRelay();

    assertThat(pending()).isZero();
    assertThat(handled).isEmpty();
    assertThat(count("SELECT count(*) FROM business")).isEqualTo(3);
  }

  @Test
  void relayCanBeStartedAgain() throws Exception {
    subject.startRelay(order -> handled.add(order.number()));
    transact(0, 1);
    await(1);
    subject.stopRelay();
    transact(1, 1);
    subject.startRelay(order -> handled.add(order.number()));

    assertThat(await(1)).containsExactly(1L);
    subject.stopRelay();
    assertThat(pending()).isZero();
  }

  @Test
  void failedBusinessLeavesNoMessage() throws Exception {
    assertThatThrownBy(
            () ->
                subject.transact(
                    connection -> {
                      throw new IllegalStateException("as the test wants");
                    },
                    orders(0, 1)))
        .hasStackTraceContaining("as the test wants");
    assertThat(pending()).isZero();
  }

  @Test
  void backlogCanBeSavedAndBroughtBackByCopyingRows() throws Exception {
    transact(0, 20);
    for (String table : subject.backlogTables()) {
      execute(database.product().copy(table, "saved_" + table));
      execute(database.product().empty(table));
    }
    assertThat(pending()).isZero();
    for (String table : subject.backlogTables()) {
      execute("INSERT INTO " + table + " SELECT * FROM saved_" + table);
    }
    assertThat(pending()).isEqualTo(20);

    subject.startRelay(order -> handled.add(order.number()));
    assertThat(await(20)).doesNotHaveDuplicates();
    subject.stopRelay();
    assertThat(pending()).isZero();
  }

  @Test
  void commitIsStamped() throws Exception {
    long before = System.nanoTime();
    transact(0, 1);
    assertThat(SubjectDatabase.commitAsked()).isBetween(before, System.nanoTime());
  }

  private void transact(long first, int count) throws Exception {
    subject.transact(
        connection -> {
          try (Statement insert = connection.createStatement()) {
            insert.execute("INSERT INTO business (number) VALUES (" + first + ")");
          }
        },
        orders(first, count));
  }

  private static List<Order> orders(long first, int count) {
    return LongStream.range(first, first + count)
        .mapToObj(number -> Order.of(number, (int) number % Order.KEYS))
        .toList();
  }

  private List<Long> await(int count) throws InterruptedException {
    List<Long> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Long number = handled.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      assertThat(number).as("message %d of %d, after %s", i + 1, count, numbers).isNotNull();
      numbers.add(number);
    }
    return Collections.unmodifiableList(numbers);
  }

  private long pending() throws Exception {
    return count(subject.countPending());
  }

  private long count(String sql) throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private void execute(String sql) throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
