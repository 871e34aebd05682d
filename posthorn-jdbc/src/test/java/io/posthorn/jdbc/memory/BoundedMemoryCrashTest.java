/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fault.Await;
import io.posthorn.jdbc.fault.CountingRelay;
import io.posthorn.jdbc.fault.CountingRelay.Report;
import io.posthorn.jdbc.fault.CountingRelay.Trouble;
import io.posthorn.jdbc.fault.LiveDatabase;
import io.posthorn.jdbc.fault.SecondJvm;
import io.posthorn.servers.PostgresServer;
import java.util.Random;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A relay in a JVM with a heap of 128 MiB: whatever waits for it, and however it is spread, it
 * holds no more bytes than it may, and delivers everything.
 */
@Timeout(180)
class BoundedMemoryCrashTest {
  private static final int KIB = 1024;
  private static final int MIB = KIB * KIB;

  /** The default of relay.window-bytes. */
  private static final long WINDOW = 32L * MIB;

  private static final long SMALL_WINDOW = 16L * MIB;

  /** What a message may count beyond its payload and headers. */
  private static final long OVERHEAD = 4 * KIB;

  private LiveDatabase database;
  private HikariDataSource pool;
  private JdbcTransactions transactions;
  private Posthorn publisher;
  private SecondJvm relay;
  private final Await await = new Await(this::evidence);

  private void createDatabase(int partitions) {
    database = LiveDatabase.on(PostgresServer.shared(), partitions);
    pool = database.pool("publisher", 4);
    transactions = new JdbcTransactions(pool);
    publisher =
        Posthorn.publishOnly(LiveDatabase.store(pool).build(), transactions)
            .publish(options -> options.maxPayloadBytes(8 * MIB))
            .build();
  }

  @AfterEach
  void stop() {
    if (relay != null) {
      relay.close();
    }
    publisher.close();
    database.execute("TRUNCATE outbox_message, outbox_deferred");
    database.close();
  }

  private String evidence() {
    return "%d ready and %d deferred rows; %s"
        .formatted(rows("outbox_message"), rows("outbox_deferred"), relay);
  }

  private long rows(String table) {
    return database.number("SELECT count(*) FROM " + table);
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 1_024})
  void backlogThatIsManyTimesTheHeapIsDelivered(int partitions) throws Exception {
    createDatabase(partitions);
    insertBacklog(5_000, 100_000, partitions);

    start(WINDOW, Trouble.NONE);

    assertDelivered(5_000, WINDOW, 100_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 1_024})
  void messagesOfAQuarterOfTheWindowAreDelivered(int partitions) throws Exception {
    createDatabase(partitions);
    insertBacklog(40, 8 * MIB, partitions);

    start(WINDOW, Trouble.NONE);

    assertDelivered(40, WINDOW, 8 * MIB);
  }

  /** Most are small, a few are as large as may be published; some have headers that are larger. */
  @ParameterizedTest
  @CsvSource({"64, 17", "1024, 18"})
  void messagesOfVeryDifferentSizesAreDelivered(int partitions, long seed) throws Exception {
    createDatabase(partitions);
    Random random = new Random(seed);
    int messages = 1_500;
    long largest = 0;
    for (int i = 0; i < messages; i += 50) {
      largest = Math.max(largest, publishSome(random, 50));
    }

    start(SMALL_WINDOW, Trouble.NONE);

    assertDelivered(messages, SMALL_WINDOW, largest);
  }

  /** The bytes of the largest one. */
  private long publishSome(Random random, int count) throws Exception {
    long largest = 0;
    try (var connection = transactions.begin()) {
      for (int i = 0; i < count; i++) {
        int payload = heavyTailed(random);
        int headers = random.nextInt(10) == 0 ? 20_000 + random.nextInt(10_000) : 0;
        Message.Builder message = Message.of(CountingRelay.TYPE).payload(new byte[payload]);
        if (headers > 0) {
          message.header("baggage", "x".repeat(headers));
        }
        message.key("key-" + random.nextInt(500));
        publisher.outbox().publish(message.build());
        largest = Math.max(largest, payload + headers);
      }
      connection.commit();
    }
    return largest;
  }

  /** From 0 bytes to a MiB; half are below 6 KiB, one in a hundred is above half a MiB. */
  private static int heavyTailed(Random random) {
    double uniform = random.nextDouble();
    return (int) Math.min(MIB, 6 * KIB * uniform / Math.max(1e-6, 1 - uniform));
  }

  @Test
  void messagesHeldBehindAFailingOneAreDeliveredWhenItRecovers() throws Exception {
    createDatabase(64);
    insert(1, 1, "7", "'k'");
    insert(300, MIB, "7", "'k'");
    start(SMALL_WINDOW, Trouble.SMALLEST_FAILS);
    await.until("it has failed a few times", () -> report(Report::failed) >= 3);
    insert(1, 2, "7", "'other'"); // of the same partition: all that came before has been met
    await.until("the relay goes on", () -> report(Report::delivered) == 1);
    assertThat(report(Report::delivered)).isOne();

    assertThat(relay.ask("recover")).isEqualTo("done");

    assertDelivered(302, SMALL_WINDOW, MIB);
  }

  @Test
  void messagesParkedForADestinationThatIsDownAreDeliveredWhenItRecovers() throws Exception {
    createDatabase(64);
    insertBacklog(300, MIB, 64);
    start(SMALL_WINDOW, Trouble.DESTINATION_DOWN);
    await.untilReached("the other handler goes on", 300, () -> report(Report::byLedger));
    assertThat(report(Report::delivered)).isZero();

    assertThat(relay.ask("recover")).isEqualTo("done");

    assertDelivered(300, SMALL_WINDOW, MIB);
    assertThat(report(Report::byLedger)).isEqualTo(300);
  }

  private void insertBacklog(int count, int bytes, int partitions) {
    insert(count, bytes, "i % " + partitions, "'key-' || i");
  }

  /** In the server: nothing of it goes over the wire but to the relay. */
  private void insert(int count, int bytes, String partition, String key) {
    database.execute(
        """
        INSERT INTO outbox_message (partition_no, id, type, message_key, content_type, payload, occurred_at, created_at)
        SELECT %s, gen_random_uuid(), '%s', %s, 'application/octet-stream', decode(repeat('7b', %d), 'hex'), now(), now()
          FROM generate_series(1, %d) AS i
        """
            .formatted(partition, CountingRelay.TYPE, key, bytes, count));
  }

  private void start(long windowBytes, Trouble trouble) throws Exception {
    relay =
        SecondJvm.start(
            CountingRelay.class,
            database.url(),
            "small",
            Long.toString(windowBytes),
            trouble.name());
  }

  private long report(ToLongFunction<Report> field) {
    return field.applyAsLong(Report.of(relay));
  }

  private void assertDelivered(int messages, long window, long largest) {
    await.untilReached("delivered", messages, () -> report(Report::delivered));
    await.until("settled", () -> rows("outbox_message") + rows("outbox_deferred") == 0);
    Report report = Report.of(relay);
    assertThat(report.delivered()).as("each once").isEqualTo(messages);
    assertThat(report.outOfOrder()).isZero();
    assertThat(report.peakBytes()).isBetween(largest, window + largest + OVERHEAD);
  }
}
