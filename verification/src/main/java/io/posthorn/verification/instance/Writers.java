/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Threads that change the business tables and publish, and note what they mean and know. */
final class Writers {
  private static final int THREADS = 4;
  private static final long PAUSE_AFTER_FAILURE = 100_000_000;
  private static final int ROLLED_BACK_OF_100 = 10;
  private static final int WITH_SAVEPOINT_OF_100 = 10;

  /** A transaction with more messages has small ones only. */
  private static final int FEW = 10;

  /** Each of them costs some lives for each handler, and each life a lease. */
  private static final int MOST_KILLERS = 2;

  private final InstanceSettings settings;
  private final JdbcTransactions transactions;
  private final TruthLog truth;
  private final Publications publications;
  private final CrashPoint crash;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicInteger killers = new AtomicInteger();
  private volatile boolean stopped;
  private int starts;

  Writers(
      InstanceSettings settings,
      JdbcTransactions transactions,
      Outbox outbox,
      TruthLog truth,
      CrashPoint crash) {
    this.settings = settings;
    this.transactions = transactions;
    this.truth = truth;
    this.publications = new Publications(outbox, truth);
    this.crash = crash;
  }

  void start() {
    stopped = false;
    starts++;
    for (int i = 0; i < THREADS && settings.perSecond() > 0; i++) {
      Random random = new Random(settings.seed() * 31 + i + starts * 1_000L);
      MessageMix mix = new MessageMix(random, List.copyOf(settings.natures()));
      Thread thread = new Thread(() -> write(mix), "writer-" + i);
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
    threads.clear();
  }

  private void write(MessageMix mix) {
    long pause = 1_000_000_000L * THREADS / settings.perSecond();
    long due = System.nanoTime();
    while (!stopped) {
      due += pause;
      LockSupport.parkNanos(due - System.nanoTime());
      try {
        transact(mix);
      } catch (SQLException | RuntimeException e) { // the database is away, as planned
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE);
        due = System.nanoTime();
      }
    }
  }

  private void transact(MessageMix mix) throws SQLException {
    long transaction = truth.begin();
    boolean commit = !mix.of100(ROLLED_BACK_OF_100);
    try (Connection connection = transactions.begin()) {
      List<Sent> sent = publish(mix, connection, transaction);
      crash.at(CrashPoint.Step.PUBLISHED);
      if (commit) {
        truth.asked(transaction, sent);
        commit(connection, transaction);
        crash.at(CrashPoint.Step.COMMITTED);
      }
    }
  }

  private List<Sent> publish(MessageMix mix, Connection connection, long transaction)
      throws SQLException {
    List<Sent> sent = new ArrayList<>();
    String key = mix.key();
    String idempotencyKey = mix.idempotencyKey();
    if (idempotencyKey != null) { // before any lock of a key: so nobody waits in a circle
      publications
          .publishOnce(connection, transaction, key, draft(mix), idempotencyKey)
          .ifPresent(sent::add);
    }
    boolean takesBack = idempotencyKey == null && mix.of100(WITH_SAVEPOINT_OF_100);
    boolean takesBackFirst = takesBack && mix.of100(50);
    if (takesBackFirst) {
      takeBack(mix, connection, key);
    }
    int messages = mix.transactionSize();
    for (int i = 0; i < messages; i++) {
      MessageMix.Draft draft = messages > FEW ? mix.smallDraft() : draft(mix);
      sent.add(publications.publish(connection, key, draft));
    }
    if (takesBack && !takesBackFirst) {
      takeBack(mix, connection, key);
    }
    return sent;
  }

  private void takeBack(MessageMix mix, Connection connection, @Nullable String key)
      throws SQLException {
    Savepoint savepoint = connection.setSavepoint();
    publications.publish(connection, key, draft(mix));
    connection.rollback(savepoint);
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

  private MessageMix.Draft draft(MessageMix mix) {
    MessageMix.Draft draft = mix.draft();
    boolean tooMany = draft.nature() == Nature.KILLER && killers.incrementAndGet() > MOST_KILLERS;
    return tooMany ? draft.plain() : draft;
  }
}
