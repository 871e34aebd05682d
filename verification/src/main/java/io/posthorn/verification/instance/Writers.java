/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Sent;
import io.posthorn.verification.history.TruthLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Threads that change the business tables and publish, and note what they mean and know. */
final class Writers {
  private static final int THREADS = 4;
  private static final long PAUSE_AFTER_FAILURE = 100_000_000;
  private static final int ODD_MESSAGES_OF_100 = 4;
  private static final int KEYLESS_OF_100 = 10;
  private static final int ROLLED_BACK_OF_100 = 10;
  private static final int WITH_SAVEPOINT_OF_100 = 10;

  /** Each of them costs some lives for each handler, and each life a lease. */
  private static final int MOST_KILLERS = 2;

  private final InstanceSettings settings;
  private final JdbcTransactions transactions;
  private final Outbox outbox;
  private final TruthLog truth;
  private final CrashPoint crash;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicInteger killers = new AtomicInteger();
  private volatile boolean stopped;

  Writers(
      InstanceSettings settings,
      JdbcTransactions transactions,
      Outbox outbox,
      TruthLog truth,
      CrashPoint crash) {
    this.settings = settings;
    this.transactions = transactions;
    this.outbox = outbox;
    this.truth = truth;
    this.crash = crash;
  }

  void start() {
    for (int i = 0; i < THREADS && settings.perSecond() > 0; i++) {
      Random random = new Random(settings.seed() * 31 + i);
      Thread thread = new Thread(() -> write(random), "writer-" + i);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
  }

  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void write(Random random) {
    long pause = 1_000_000_000L * THREADS / settings.perSecond();
    long due = System.nanoTime();
    while (!stopped) {
      due += pause;
      LockSupport.parkNanos(due - System.nanoTime());
      try {
        transact(random);
      } catch (SQLException | RuntimeException e) { // the database is away, as planned
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE);
        due = System.nanoTime();
      }
    }
  }

  private void transact(Random random) throws SQLException {
    long transaction = truth.begin();
    boolean commit = random.nextInt(100) >= ROLLED_BACK_OF_100;
    List<Sent> sent = new ArrayList<>();
    try (Connection connection = transactions.begin()) {
      String key =
          random.nextInt(100) < KEYLESS_OF_100 ? null : "k" + random.nextInt(ChaosTables.KEYS);
      if (random.nextInt(100) < WITH_SAVEPOINT_OF_100) {
        Savepoint savepoint = connection.setSavepoint();
        send(connection, key, Nature.PLAIN);
        connection.rollback(savepoint);
      }
      int messages = 1 + random.nextInt(3);
      for (int i = 0; i < messages; i++) {
        sent.add(send(connection, key, nature(random)));
      }
      crash.at(CrashPoint.Step.PUBLISHED);
      if (commit) {
        truth.asked(transaction, sent);
        commit(connection, transaction);
        crash.at(CrashPoint.Step.COMMITTED);
      }
    }
  }

  private void commit(Connection connection, long transaction) throws SQLException {
    try {
      connection.commit();
    } catch (SQLException | RuntimeException e) {
      truth.unknown(transaction);
      throw e;
    }
    truth.committed(transaction);
  }

  private Nature nature(Random random) {
    List<Nature> odd = List.copyOf(settings.natures());
    if (odd.isEmpty() || random.nextInt(100) >= ODD_MESSAGES_OF_100) {
      return Nature.PLAIN;
    }
    Nature nature = odd.get(random.nextInt(odd.size()));
    boolean tooMany = nature == Nature.KILLER && killers.incrementAndGet() > MOST_KILLERS;
    return tooMany ? Nature.PLAIN : nature;
  }

  private Sent send(Connection connection, @Nullable String key, Nature nature)
      throws SQLException {
    UUID id = UUID.randomUUID();
    long number = key == null ? 0 : ChaosTables.nextNumber(connection, key);
    ChaosTables.insertOrder(connection, id);
    outbox.publish(Message.of(Receivers.TYPE).id(id).key(key).payload(nature.name()).build());
    return new Sent(id, key, number, nature);
  }
}
