/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.DestinationDownException;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** Messages that wait for their producer, and those that fail before it has them. */
class WaitingSendsTest {
  private static final Duration MAX_WAIT = Duration.ofSeconds(10);
  private static final Map<String, Object> SETTINGS = Map.of("bootstrap.servers", "localhost:9092");

  private static Outgoing to(String topic) {
    return new Outgoing(
        UUID.randomUUID(),
        "order",
        topic,
        null,
        "k",
        Map.of(),
        "text/plain",
        new byte[1],
        Instant.EPOCH);
  }

  private static Throwable failure(CompletableFuture<?> sending) {
    Throwable failure = catchThrowable(() -> sending.get(5, TimeUnit.SECONDS));
    return failure == null ? null : failure.getCause();
  }

  @Test
  void anErrorOfTheFactoryEndsItsMessageAndTheTopicIsSentToAgain() {
    AtomicInteger calls = new AtomicInteger();
    try (KafkaSender sender =
        KafkaSender.using(
            SETTINGS,
            settings -> {
              if (calls.incrementAndGet() == 1) {
                throw new NoClassDefFoundError("of the test");
              }
              return producer();
            })) {
      assertThat(failure(sender.send(to("orders")).toCompletableFuture()))
          .isInstanceOf(DestinationDownException.class)
          .hasMessageContaining("no Kafka producer could be made")
          .hasRootCauseInstanceOf(NoClassDefFoundError.class);
      assertThat(failure(sender.send(to("orders")).toCompletableFuture())).isNull();
    }
  }

  @Test
  void withoutAThreadItsMessagesFailAndTheTopicIsSentToAgain() {
    AtomicInteger calls = new AtomicInteger();
    ExecutorService threads =
        new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>()) {
          @Override
          public void execute(Runnable task) {
            if (calls.incrementAndGet() == 1) {
              throw new InternalError("no thread, of the test");
            }
            super.execute(task);
          }
        };
    try (WaitingSends sends = new WaitingSends(MAX_WAIT, Ticker.system(), threads)) {
      PendingSend first = pending("orders");
      sends.send(first);
      assertThat(failure(first.answer()))
          .isInstanceOf(DestinationDownException.class)
          .hasMessageContaining("no thread, of the test");

      PendingSend second = pending("orders");
      sends.send(second);
      assertThat(failure(second.answer())).isNull();
    }
  }

  @Test
  void whatOneSendThrowsEndsThatMessageOnly() throws Exception {
    CountDownLatch made = new CountDownLatch(1);
    MockProducer<String, byte[]> producer =
        new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer()) {
          @Override
          public synchronized List<PartitionInfo> partitionsFor(String topic) {
            if (topic.equals("broken")) {
              throw new NoClassDefFoundError("of the test");
            }
            return super.partitionsFor(topic);
          }
        };
    ReplaceableProducer shared = new ReplaceableProducer(() -> awaited(made, producer));
    try (WaitingSends sends =
        new WaitingSends(MAX_WAIT, Ticker.system(), WaitingSends.newThreads())) {
      PendingSend first = pending("broken", shared);
      PendingSend second = pending("orders", shared);
      sends.send(first);
      sends.send(second);
      made.countDown();

      assertThat(failure(first.answer())).isInstanceOf(NoClassDefFoundError.class);
      assertThat(failure(second.answer())).isNull();
    }
  }

  /** The relay has given it up by then, and may have sent it again with its successors. */
  @Test
  void aMessageWhoseTimeIsOverBeforeItsProducerIsMadeIsNeverSent() {
    CountDownLatch made = new CountDownLatch(1);
    MockProducer<String, byte[]> producer = producer();
    Map<String, Object> settings = new HashMap<>(SETTINGS);
    settings.put("max.block.ms", 200);
    try (KafkaSender sender = KafkaSender.using(settings, any -> awaited(made, producer))) {
      CompletableFuture<?> late = sender.send(to("orders")).toCompletableFuture();
      assertThat(catchThrowable(() -> late.get(500, TimeUnit.MILLISECONDS)))
          .isInstanceOf(TimeoutException.class);
      made.countDown();

      assertThat(failure(late))
          .isInstanceOf(DestinationDownException.class)
          .hasMessageContaining("within 200 ms (max.block.ms)");
      assertThat(failure(sender.send(to("orders")).toCompletableFuture())).isNull();
      assertThat(producer.history()).hasSize(1);
    }
  }

  @Test
  void aMessageThatWasGivenUpWhileItWaitedIsNeverSent() {
    CountDownLatch made = new CountDownLatch(1);
    MockProducer<String, byte[]> producer = producer();
    try (KafkaSender sender = KafkaSender.using(SETTINGS, any -> awaited(made, producer))) {
      sender.send(to("orders")).toCompletableFuture().cancel(false);
      CompletableFuture<?> next = sender.send(to("orders")).toCompletableFuture();
      made.countDown();

      assertThat(failure(next)).isNull();
      assertThat(producer.history()).hasSize(1);
    }
  }

  @Test
  void closingFailsWhatWaits() {
    MockProducer<String, byte[]> producer = producer();
    producer.partitionsForException = new org.apache.kafka.common.errors.TimeoutException("never");
    KafkaSender sender = KafkaSender.using(SETTINGS, any -> producer);
    CompletableFuture<?> waiting = sender.send(to("orders")).toCompletableFuture();
    sender.close();

    assertThat(failure(waiting)).isInstanceOf(DestinationDownException.class);
  }

  private static MockProducer<String, byte[]> producer() {
    return new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
  }

  /** As if the name of the broker were looked up until then. */
  private static <P> P awaited(CountDownLatch until, P producer) {
    try {
      assertThat(until.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return producer;
  }

  private static PendingSend pending(String topic) {
    return pending(topic, new ReplaceableProducer(WaitingSendsTest::producer));
  }

  private static PendingSend pending(String topic, ReplaceableProducer producer) {
    Ticker ticker = Ticker.system();
    return new PendingSend(to(topic), producer, new RecentAnswers(ticker), ticker.nanos(), 1);
  }
}
