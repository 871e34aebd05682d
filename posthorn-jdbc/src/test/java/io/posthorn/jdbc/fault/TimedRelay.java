/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Delivery;
import io.posthorn.DestinationDownException;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayListener;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A relay that notes when it took each partition, and when messages came there. Messages whose key
 * begins with "bulk" are only counted.
 */
final class TimedRelay implements RelayListener, AutoCloseable {
  static final String BULK = "bulk";

  /**
   * A sweep walks over everything, some time after the relay has begun; it is not what is counted.
   */
  private static final Duration NO_SWEEP = Duration.ofHours(1);

  private static final RetryPolicy OFTEN = RetryPolicy.fixed(Duration.ofSeconds(1), 1_000);

  /** What the handler does with messages. */
  enum Mood {
    TAKES_ALL,
    REFUSES_ALL,
    /** Its destination is down. */
    DOWN
  }

  /** When a message came, in nanoseconds, and to which partition. */
  private record Arrival(int partition, long at) {}

  private final HikariDataSource pool;
  private final Posthorn posthorn;
  private final Map<Integer, Long> takenAt = new ConcurrentHashMap<>();
  private final Map<UUID, Arrival> arrivals = new ConcurrentHashMap<>();
  private final AtomicLong bulk = new AtomicLong();
  private final AtomicLong bulkOfLedger = new AtomicLong();
  private volatile Mood mood;

  private TimedRelay(LiveDatabase database, String name, boolean withLedger, Mood mood) {
    this.mood = mood;
    this.pool = database.pool(name, 20);
    Posthorn.Builder builder =
        Posthorn.inOneProcess(LiveDatabase.store(pool).build(), new JdbcTransactions(pool))
            .relay(
                relay ->
                    relay
                        .name(name)
                        .leaseDuration(RelayProcess.LEASE)
                        .heartbeatInterval(RelayProcess.HEARTBEAT)
                        .sweepInterval(NO_SWEEP)
                        .retry(OFTEN))
            .listener(this)
            .handler(CountingRelay.MAILER, CountingRelay.TYPE, byte[].class, this::mail);
    if (withLedger) {
      builder.handler(
          "ledger", CountingRelay.TYPE, byte[].class, (bytes, delivery) -> enter(delivery));
    }
    this.posthorn = builder.build();
    posthorn.start();
  }

  static TimedRelay start(LiveDatabase database, String name) {
    return new TimedRelay(database, name, false, Mood.TAKES_ALL);
  }

  /** One with a second handler, so that what waits for the first does not stay where it is. */
  static TimedRelay startWithLedger(LiveDatabase database, String name, Mood mood) {
    return new TimedRelay(database, name, true, mood);
  }

  /** From now on it takes all. */
  void recover() {
    mood = Mood.TAKES_ALL;
  }

  private void mail(byte[] payload, Delivery delivery) {
    switch (mood) {
      case DOWN -> throw new DestinationDownException("the destination is down", null);
      case REFUSES_ALL -> throw new IllegalStateException("not by this relay");
      case TAKES_ALL -> note(delivery);
    }
  }

  private void note(Delivery delivery) {
    String key = String.valueOf(delivery.key());
    if (key.startsWith(BULK)) {
      bulk.incrementAndGet();
    } else {
      arrivals.put(
          delivery.messageId(), new Arrival(delivery.message().partition(), System.nanoTime()));
    }
  }

  private void enter(Delivery delivery) {
    if (String.valueOf(delivery.key()).startsWith(BULK)) {
      bulkOfLedger.incrementAndGet();
    }
  }

  @Override
  public void taken(PartitionOwner partition) {
    takenAt.put(partition.partition(), System.nanoTime());
  }

  long bulk() {
    return bulk.get();
  }

  long bulkOfLedger() {
    return bulkOfLedger.get();
  }

  boolean idle() {
    return posthorn.relay().status().inMemory() == 0;
  }

  boolean has(UUID message) {
    return arrivals.containsKey(message);
  }

  /** From when this relay took the message's partition until the message came. */
  Duration fromTaking(UUID message) {
    Arrival arrival = arrivals.get(message);
    return Duration.ofNanos(arrival.at - takenAt.get(arrival.partition));
  }

  /** From some time, in nanoseconds, until the message came. */
  Duration since(long nanos, UUID message) {
    return Duration.ofNanos(arrivals.get(message).at - nanos);
  }

  /** Stops it, and ends its sessions. */
  @Override
  public void close() {
    posthorn.close();
    pool.close();
  }
}
