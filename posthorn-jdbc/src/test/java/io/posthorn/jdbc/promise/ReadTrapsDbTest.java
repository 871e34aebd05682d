/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import io.posthorn.spi.RelayStore.SeqRange;
import io.posthorn.test.StoreAssert;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The traps of reading: rows become visible out of seq order, and dead index entries pile up before
 * the live ones.
 */
class ReadTrapsDbTest extends OneDatabase {
  private final List<Delivery> received = new ArrayList<>();

  private SteppedRelay recording(String name) {
    return relay(
        name,
        builder ->
            builder.handler(
                HANDLER, TYPE, String.class, (text, delivery) -> received.add(delivery)));
  }

  private SteppedRelay recording(Queue<Slice> slices) {
    return recording(slices, new ConcurrentLinkedQueue<>());
  }

  private SteppedRelay recording(Queue<Slice> slices, Queue<SeqRange> ranges) {
    return relay(
        "a",
        new SliceRecorder(store, slices, ranges).proxy(),
        builder ->
            builder.handler(
                HANDLER, TYPE, String.class, (text, delivery) -> received.add(delivery)));
  }

  /** One writer draws its seq and is slow to commit; the others do not wait for it. */
  private final class SlowWriter implements AutoCloseable {
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final CountDownLatch written = new CountDownLatch(1);
    private final CountDownLatch mayCommit = new CountDownLatch(1);
    private final Future<UUID> done;

    SlowWriter(String key) throws Exception {
      done =
          thread.submit(
              () -> {
                try (Connection connection = transactions.begin()) {
                  UUID id = publisher.outbox().publish(message(key));
                  transactions.current().beforeCommit(this::waitForPermission);
                  connection.commit();
                  return id;
                }
              });
      assertThat(written.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private void waitForPermission() {
      written.countDown();
      try {
        assertThat(mayCommit.await(30, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    UUID commit() throws Exception {
      mayCommit.countDown();
      return done.get(30, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
      mayCommit.countDown();
      thread.shutdownNow();
    }
  }

  @Test
  void aRowThatBecomesVisibleLateIsFoundByLookingBack() throws Exception {
    SteppedRelay relay = recording("a");
    relay.drain();
    try (SlowWriter slow = new SlowWriter("slow")) {
      List<UUID> others = publish("quick", 20);
      relay.drain();
      assertThat(received).extracting(Delivery::messageId).containsExactlyElementsOf(others);
      UUID late = slow.commit();
      database.clock().advance(Duration.ofMillis(50));
      relay.drain();
      relay.log().assertDelivered(HANDLER, late);
    }
  }

  @Test
  void aRowThatBecomesVisibleVeryLateIsReadAtOnceAndInOrder() throws Exception {
    SteppedRelay relay =
        relay(
            "a",
            builder ->
                builder
                    .relay(options -> options.lookBack(Duration.ofMillis(250)))
                    .handler(
                        HANDLER, TYPE, String.class, (text, delivery) -> received.add(delivery)));
    relay.drain();
    try (SlowWriter slow = new SlowWriter("slow")) {
      for (int i = 0; i < 8; i++) { // far beyond the look-back
        publish(neighbourOf("slow"), 2);
        database.clock().advance(Duration.ofMillis(500));
        relay.drain();
      }
      assertThat(received).hasSize(16);
      UUID late = slow.commit();
      UUID next = publish("slow");
      relay.drain();
      assertThat(received.subList(16, received.size()))
          .extracting(Delivery::messageId)
          .containsExactly(late, next);
      StoreAssert.assertThat(database.rows()).hasNoMessages();
    }
  }

  /** Ready rows fill the window as soon as it has room; what is due is not left out for them. */
  @Test
  void aRowThatIsDueComesBesideABacklog() throws Exception {
    int window = 50;
    SteppedRelay relay =
        relay(
            "a",
            builder ->
                builder
                    .relay(
                        options ->
                            options
                                .windowMessages(window)
                                .retry(RetryPolicy.fixed(Duration.ofSeconds(1), 5)))
                    .handler(
                        HANDLER,
                        TYPE,
                        String.class,
                        (text, delivery) -> {
                          received.add(delivery);
                          if (delivery.key().equals("due") && delivery.attempt() == 1) {
                            throw new IllegalStateException("not yet");
                          }
                        }));
    UUID due = publish("due");
    relay.drain();
    assertThat(received).hasSize(1);
    publishAll(20 * window);
    database.clock().advance(Duration.ofSeconds(1));
    relay.drain();

    assertThat(received).hasSize(20 * window + 2);
    assertThat(received.subList(1, 4 * window)).extracting(Delivery::messageId).contains(due);
  }

  private void publishAll(int count) throws Exception {
    List<Message> messages =
        IntStream.range(0, count).mapToObj(i -> message("key-" + i % 100)).toList();
    transactions.run(connection -> publisher.outbox().publishAll(messages));
  }

  /**
   * It was visible before the next message of its key was written, so it must be delivered before
   * it.
   */
  @Test
  void theNextMessageOfTheSameKeyDoesNotOvertakeOneThatBecameVisibleLate() throws Exception {
    SteppedRelay relay = recording("a");
    relay.drain();
    try (SlowWriter slow = new SlowWriter("slow")) {
      for (int i = 0; i < 4; i++) {
        publish(neighbourOf("slow"));
        database.clock().advance(Duration.ofMillis(600));
        relay.drain();
      }
      UUID first = slow.commit();
      UUID second = publish("slow");
      relay.drain();
      assertThat(received)
          .filteredOn(delivery -> "slow".equals(delivery.key()))
          .extracting(Delivery::messageId)
          .containsExactly(first, second);
    }
  }

  /**
   * A snapshot tells the number after the last transaction that has ended. One with that number may
   * have begun, and drawn a lower seq than what is visible.
   */
  @Test
  void aTransactionThatNoneLaterHasOutlivedHoldsTheFloorToo() throws Exception {
    SteppedRelay relay = recording("a");
    relay.drain();
    database.clock().advance(Duration.ofMillis(600));
    SlowWriter slow;
    // Past the publisher, whose signal would be a later transaction that ends.
    try (Connection earlier = database.dataSource().getConnection();
        Statement statement = earlier.createStatement()) {
      earlier.setAutoCommit(false);
      statement.executeQuery("SELECT pg_current_xact_id()").close();
      slow = new SlowWriter("slow");
      statement.execute(
          """
          INSERT INTO outbox_message (partition_no, id, type, message_key, content_type, occurred_at, created_at)
          SELECT %d, gen_random_uuid(), '%s', 'neighbour', 'text/plain', now(), now()
          """
              .formatted(partitionOf("slow"), TYPE));
      earlier.commit();
    }
    try (slow) {
      for (int i = 0; i < 4; i++) {
        relay.steps().step("read"); // before the relay itself, or the clock, ends a later one
        relay.drain();
        database.clock().advance(Duration.ofMillis(600));
      }
      UUID first = slow.commit();
      UUID second = publish("slow");
      relay.drain();
      assertThat(received)
          .filteredOn(delivery -> "slow".equals(delivery.key()))
          .extracting(Delivery::messageId)
          .containsExactly(first, second);
    }
  }

  /** While batches are full the relay must look back too. */
  @Test
  void aLateRowIsFoundWhileBatchesAreFull() throws Exception {
    SteppedRelay relay =
        relay(
            "a",
            builder ->
                builder
                    .relay(options -> options.windowMessages(64))
                    .handler(
                        HANDLER,
                        TYPE,
                        String.class,
                        (text, delivery) -> {
                          received.add(delivery);
                          database.clock().advance(Duration.ofMillis(2));
                        }));
    relay.steps().step("lease");
    try (SlowWriter slow = new SlowWriter("k")) {
      publish("k", 300);
      relay.steps().step("read");
      relay.steps().step("settle");
      UUID late = slow.commit();
      relay.drain();
      int position = received.stream().map(Delivery::messageId).toList().indexOf(late);
      assertThat(position).as("found long before the end").isBetween(0, 200);
      assertThat(received).hasSize(301);
    }
  }

  /** The floor: reads do not begin at dead index entries that nobody can remove yet. */
  @Test
  void readsDoNotBeginAtWhatWasDeliveredWhileASnapshotPinsIt() throws Exception {
    Queue<Slice> slices = new ConcurrentLinkedQueue<>();
    SteppedRelay relay = recording(slices);
    relay.drain();
    try (Connection pinning = database.dataSource().getConnection()) {
      pinning.setAutoCommit(false);
      pinning.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      pinning.createStatement().executeQuery("SELECT count(*) FROM outbox_message").close();
      publish("k", 200);
      relay.drain();
      assertThat(received).hasSize(200);
      for (int i = 0; i < 2; i++) { // one mark is set, the next one passes it
        database.clock().advance(Duration.ofMillis(100));
        relay.drain();
      }
      slices.clear();
      publish("k");
      relay.drain();
      long lastDelivered = received.get(199).message().seq();
      int partition = received.get(199).message().partition();
      assertThat(slices)
          .filteredOn(slice -> slice.partition() == partition)
          .isNotEmpty()
          .allMatch(slice -> slice.afterSeq() >= lastDelivered);
      assertThat(received).hasSize(201);
      pinning.rollback();
    }
  }

  /** A sweep walks over all rows that could not be vacuumed, so it takes a partition at a time. */
  @Test
  void aRowThatWasPutBelowTheFloorIsFoundWhenItsPartitionIsSwept() throws Exception {
    Queue<Slice> slices = new ConcurrentLinkedQueue<>();
    Queue<SeqRange> ranges = new ConcurrentLinkedQueue<>();
    SteppedRelay relay = recording(slices, ranges);
    relay.drain();
    long partitions = database.number("SELECT count(*) FROM outbox_partition");
    publish("k");
    database.execute("CREATE TABLE kept AS SELECT * FROM outbox_message");
    for (int i = 0; i < 3; i++) { // one mark is set, the next one passes it
      relay.drain();
      database.clock().advance(Duration.ofMillis(100));
    }
    assertThat(received).hasSize(1);
    database.clock().advance(Duration.ofSeconds(9));
    do { // once after they came, all are looked at
      ranges.clear();
      database.clock().advance(Duration.ofSeconds(1));
      relay.drain();
    } while (!ranges.isEmpty());
    database.execute("INSERT INTO outbox_message SELECT * FROM kept");
    Set<Integer> swept = new TreeSet<>();
    while (received.size() == 1) {
      ranges.clear();
      database.clock().advance(Duration.ofSeconds(10)); // relay.sweep-interval
      relay.drain();
      Set<Integer> now = ranges.stream().map(SeqRange::partition).collect(Collectors.toSet());
      assertThat(now).hasSize(1);
      assertThat(swept.addAll(now)).as("another one each time").isTrue();
      assertThat(swept).hasSizeLessThanOrEqualTo((int) partitions);
    }
    assertThat(received).hasSize(2);
  }

  /** A transaction that draws its seq early keeps the floor below it until it ends. */
  @Test
  void theFloorWaitsForTransactionsThatStillWrite() throws Exception {
    Queue<Slice> slices = new ConcurrentLinkedQueue<>();
    SteppedRelay relay = recording(slices);
    relay.drain();
    try (SlowWriter slow = new SlowWriter("slow")) {
      for (int i = 0; i < 5; i++) {
        publish(neighbourOf("slow"), 2);
        relay.drain();
        database.clock().advance(Duration.ofSeconds(1));
      }
      slices.clear();
      relay.drain();
      assertThat(slices).isNotEmpty().allMatch(slice -> slice.afterSeq() == 0);
      slow.commit();
      relay.drain();
      assertThat(received).hasSize(11);
    }
  }

  /** The column of a sequence is ahead for a moment, each 32 values. */
  @Test
  void aMarkIsNeverAheadOfWhatWasDrawn() throws Exception {
    ExecutorService drawing = Executors.newFixedThreadPool(2);
    AtomicBoolean enough = new AtomicBoolean();
    try (RelayStore relay = store.relay(Duration.ofSeconds(30));
        Connection connection = database.dataSource().getConnection()) {
      List<Future<?>> drawers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        drawers.add(drawing.submit(() -> drawUntil(enough)));
      }
      for (int i = 0; i < 2_000; i++) {
        ReadResult.Mark mark =
            relay
                .read(
                    new ReadRequest(
                        List.of(), new long[0], ReadRequest.Lanes.NONE, 1, 1, ReadRequest.Ask.MARK))
                .mark();
        assertThat(mark).isNotNull();
        assertThat(draw(connection, 1)).isGreaterThan(mark.drawn());
      }
      enough.set(true);
      for (Future<?> drawer : drawers) {
        drawer.get(10, TimeUnit.SECONDS);
      }
    } finally {
      enough.set(true);
      drawing.shutdownNow();
    }
  }

  private boolean drawUntil(AtomicBoolean enough) throws Exception {
    try (Connection connection = database.dataSource().getConnection()) {
      while (!enough.get()) {
        draw(connection, 500);
      }
    }
    return true;
  }

  private static long draw(Connection connection, int count) throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT max(nextval('outbox_seq')) FROM generate_series(1, %d)".formatted(count))) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Notes what is asked of the store, and passes it on. */
  private record SliceRecorder(MessageStore store, Queue<Slice> slices, Queue<SeqRange> ranges) {
    MessageStore proxy() {
      return wrap(MessageStore.class, store);
    }

    private <T> T wrap(Class<T> type, T target) {
      return type.cast(
          Proxy.newProxyInstance(
              ReadTrapsDbTest.class.getClassLoader(),
              new Class<?>[] {type},
              (self, method, arguments) -> {
                if (method.getName().equals("read")) {
                  slices.addAll(((ReadRequest) arguments[0]).slices());
                } else if (method.getName().equals("findReady")) {
                  ((List<?>) arguments[0]).forEach(range -> ranges.add((SeqRange) range));
                }
                Object result = method.invoke(target, arguments);
                return result instanceof RelayStore relay ? wrap(RelayStore.class, relay) : result;
              }));
    }
  }
}
