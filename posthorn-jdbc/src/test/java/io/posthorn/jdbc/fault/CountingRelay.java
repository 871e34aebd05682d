/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.Delivery;
import io.posthorn.DestinationDownException;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.JdbcTransactions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * A relay that only counts, to be run in a JVM of its own. It answers the line {@code report} with
 * its counts, and the line {@code recover} ends the {@link Trouble} that it began with. It ends
 * with its standard input.
 */
public final class CountingRelay {
  public static final String MAILER = "mailer";
  public static final String TYPE = "order";
  private static final long BETWEEN_LOOKS = Duration.ofMillis(1).toNanos();

  /** The failing message waits for its destination, not for its attempts. */
  private static final RetryPolicy SOON_AND_OFTEN =
      RetryPolicy.exponential(Duration.ofMillis(200), Duration.ofMillis(200), 10_000);

  /** What the mailer suffers from until it recovers. */
  public enum Trouble {
    NONE,
    /** Messages of one byte fail. */
    SMALLEST_FAILS,
    /** Its destination is down, while another handler, the ledger, goes on. */
    DESTINATION_DOWN
  }

  /**
   * What a relay has counted.
   *
   * @param peakBytes the most bytes that it said to have in memory
   */
  public record Report(
      long delivered, long byLedger, long failed, long outOfOrder, long peakBytes) {
    /** Asks a relay that runs in another JVM. */
    public static Report of(SecondJvm jvm) {
      Iterator<Long> counts =
          Pattern.compile(" ").splitAsStream(jvm.ask("report")).map(Long::valueOf).iterator();
      return new Report(counts.next(), counts.next(), counts.next(), counts.next(), counts.next());
    }

    String asLine() {
      return delivered + " " + byLedger + " " + failed + " " + outOfOrder + " " + peakBytes;
    }
  }

  private final Posthorn posthorn;
  private volatile Trouble trouble;
  private final Map<String, Long> lastByKey = new ConcurrentHashMap<>();
  private final AtomicLong delivered = new AtomicLong();
  private final AtomicLong byLedger = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong outOfOrder = new AtomicLong();
  private final AtomicLong peakBytes = new AtomicLong();

  private CountingRelay(String url, String name, long windowBytes, Trouble trouble) {
    this.trouble = trouble;
    DataSource pool = LiveDatabase.pool(url, name, 20);
    Posthorn.Builder builder =
        Posthorn.inOneProcess(LiveDatabase.store(pool).build(), new JdbcTransactions(pool))
            .relay(
                relay ->
                    relay
                        .name(name)
                        .leaseDuration(RelayProcess.LEASE)
                        .heartbeatInterval(RelayProcess.HEARTBEAT)
                        .windowBytes(windowBytes)
                        .retry(SOON_AND_OFTEN))
            .handler(MAILER, TYPE, byte[].class, this::mail);
    if (trouble == Trouble.DESTINATION_DOWN) {
      builder.handler("ledger", TYPE, byte[].class, (payload, delivery) -> note(byLedger));
    }
    this.posthorn = builder.build();
  }

  /**
   * @param arguments the URL, the relay's name, its window in bytes, its trouble
   */
  public static void main(String[] arguments) throws IOException {
    CountingRelay relay =
        new CountingRelay(
            arguments[0],
            arguments[1],
            Long.parseLong(arguments[2]),
            Trouble.valueOf(arguments[3]));
    relay.posthorn.start();
    Thread looking = new Thread(relay::keepLooking, "gauge");
    looking.setDaemon(true);
    looking.start();
    relay.obey();
    Runtime.getRuntime().halt(0);
  }

  private void mail(byte[] payload, Delivery delivery) {
    if (trouble == Trouble.DESTINATION_DOWN) {
      failed.incrementAndGet();
      throw new DestinationDownException("the destination is down", null);
    }
    if (trouble == Trouble.SMALLEST_FAILS && payload.length == 1) {
      failed.incrementAndGet();
      throw new IllegalStateException("not yet");
    }
    long seq = delivery.message().seq();
    Long before = lastByKey.put(String.valueOf(delivery.key()), seq);
    if (before != null && before > seq) {
      outOfOrder.incrementAndGet();
    }
    note(delivered);
  }

  private void note(AtomicLong count) {
    look();
    count.incrementAndGet();
  }

  private void keepLooking() {
    while (true) {
      look();
      LockSupport.parkNanos(BETWEEN_LOOKS);
    }
  }

  private void look() {
    posthorn
        .status()
        .ifPresent(status -> peakBytes.accumulateAndGet(status.bytesInMemory(), Math::max));
  }

  private void obey() throws IOException {
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      if (line.equals("report")) {
        System.out.println("report " + report().asLine());
      } else if (line.equals("recover")) {
        trouble = Trouble.NONE;
        System.out.println("recover done");
      }
    }
  }

  private Report report() {
    return new Report(
        delivered.get(), byLedger.get(), failed.get(), outOfOrder.get(), peakBytes.get());
  }
}
