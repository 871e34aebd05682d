/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A relay one of whose threads has ended does not keep its partitions from others (issue 17, D4).
 */
@Timeout(120)
class LostDutyDbTest {
  private static final int MESSAGES = 40;

  private final LiveDatabase database = LiveDatabase.onSharedServer();
  private final Await await = new Await(database::describe);
  private final CountDownLatch release = new CountDownLatch(1);
  private final CountDownLatch reading = new CountDownLatch(1);

  @AfterEach
  void close() {
    release.countDown();
    database.close();
  }

  /** What a relay has delivered. */
  private final class Relay implements AutoCloseable {
    private final HikariDataSource pool;
    private final JdbcTransactions transactions;
    private final Set<UUID> delivered = ConcurrentHashMap.newKeySet();
    private final Posthorn posthorn;

    Relay(String name, Consumer<String> whenRead) {
      pool = database.pool(name, 10);
      transactions = new JdbcTransactions(pool);
      posthorn =
          Posthorn.inOneProcess(LiveDatabase.store(pool).build(), transactions)
              .relay(
                  options ->
                      options
                          .name(name)
                          .leaseDuration(RelayProcess.LEASE)
                          .heartbeatInterval(RelayProcess.HEARTBEAT))
              .handler(
                  HandlerSpec.generic(
                      "mailer",
                      envelope -> {
                        whenRead.accept(envelope.type());
                        return true;
                      },
                      (payload, delivery) -> delivered.add(delivery.messageId())))
              .start();
    }

    int partitions() {
      return posthorn.relay().status().epochs().size();
    }

    void publish() throws Exception {
      for (int i = 0; i < MESSAGES; i++) {
        Message message =
            Message.of(CountingRelay.TYPE).key("k" + i).payload(new byte[] {'{', '}'}).build();
        transactions.call(connection -> posthorn.outbox().publish(message));
      }
    }

    @Override
    public void close() {
      posthorn.close();
    }
  }

  /** The reader thread hangs, then ends as a thread ends: what it has not caught is dispatched. */
  @Test
  void anotherRelayTakesOverFromOneThatHasLostADuty() throws Exception {
    try (Relay broken = new Relay("broken", type -> hangWhenMessagesAreRead());
        Relay healthy = new Relay("healthy", type -> {})) {
      await.until(
          "each has its share", () -> broken.partitions() == 4 && healthy.partitions() == 4);
      broken.publish();
      assertThat(reading.await(20, TimeUnit.SECONDS)).isTrue();
      Thread reader = thread("posthorn-broken-read-1");

      reader.getUncaughtExceptionHandler().uncaughtException(reader, new InternalError("no stack"));

      await.until("the other has all partitions", () -> healthy.partitions() == 8);
      await.until("all are delivered", () -> healthy.delivered.size() == MESSAGES);
      assertThat(broken.posthorn.relay().status().leaseValid()).isFalse();
      release.countDown();
    }
  }

  private void hangWhenMessagesAreRead() {
    if (!Thread.currentThread().getName().contains("-read-")) {
      return; // whoever publishes asks too
    }
    reading.countDown();
    try {
      if (!release.await(60, TimeUnit.SECONDS)) {
        throw new IllegalStateException("nobody released the reader");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Thread thread(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(name))
        .findAny()
        .orElseThrow();
  }

  @Test
  void anErrorWhileAFailureIsReportedCostsNoDuty() throws Exception {
    Logger logger = Logger.getLogger("io.posthorn.relay");
    ThrowingOnce thrower = new ThrowingOnce();
    logger.addHandler(thrower);
    try (Relay relay = new Relay("a", type -> {})) {
      await.until("it has the partitions", () -> relay.partitions() == 8);
      database.execute("ALTER TABLE outbox_message RENAME TO hidden");
      await.until("a failure is reported", () -> thrower.thrown);
      database.execute("ALTER TABLE hidden RENAME TO outbox_message");

      relay.publish();

      await.until("all are delivered", () -> relay.delivered.size() == MESSAGES);
    } finally {
      logger.removeHandler(thrower);
    }
  }

  private static final class ThrowingOnce extends Handler {
    volatile boolean thrown;

    @Override
    public void publish(LogRecord line) {
      if (!thrown && line.getLevel().equals(Level.WARNING)) {
        thrown = true;
        throw new OutOfMemoryError("while a line is written");
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
