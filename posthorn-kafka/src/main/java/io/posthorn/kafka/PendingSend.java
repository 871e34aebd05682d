/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import io.posthorn.DestinationDownException;
import io.posthorn.spi.Outgoing;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to Kafka. Producers are made with a {@code max.block.ms} of 0, so that one
 * which would have to wait, for the topic's partitions or for memory, says so instead. One thread
 * at a time tries to hand it over; the answer may come on any thread.
 */
final class PendingSend {
  private final Outgoing message;
  private final ReplaceableProducer producer;
  private final RecentAnswers answers;
  private final long since;
  private final int bytes;
  private final @Nullable ProducerInUse firstProducer;
  private final double heardBefore;
  private final CompletableFuture<Void> answer = new CompletableFuture<>();
  private @Nullable Exception refusal; // by whoever tries to hand it over

  /**
   * @param since when it came
   * @param bytes how much memory of the producer it may need
   */
  PendingSend(
      Outgoing message,
      ReplaceableProducer producer,
      RecentAnswers answers,
      long since,
      int bytes) {
    this.message = message;
    this.producer = producer;
    this.answers = answers;
    this.since = since;
    this.bytes = bytes;
    this.firstProducer = producer.made();
    this.heardBefore = firstProducer == null ? 0 : firstProducer.heard();
  }

  String topic() {
    return message.destination();
  }

  ReplaceableProducer producer() {
    return producer;
  }

  long since() {
    return since;
  }

  CompletableFuture<Void> answer() {
    return answer;
  }

  /** What it has failed with so far, if that concerns other messages to its topic too. */
  Optional<DestinationDownException> down() {
    return answer.isCompletedExceptionally()
            && answer.handle((any, thrown) -> thrown).getNow(null)
                instanceof DestinationDownException down
        ? Optional.of(down)
        : Optional.empty();
  }

  void fail(Throwable failure) {
    answer.completeExceptionally(failure);
  }

  /**
   * Fails it, since its time to be handed over has ended: it is never sent.
   *
   * @return what it has failed with
   */
  Exception expire(ProducerInUse by, Duration waited) {
    String within = " within " + waited.toMillis() + " ms (max.block.ms)";
    if (refusal instanceof BufferExhaustedException) {
      return fail(by, -1, new BufferExhaustedException("no memory for it" + within));
    }
    Throwable cause = refusal == null ? null : refusal.getCause();
    String unknown = "the partitions of its topic were not known" + within;
    return fail(by, -1, new TimeoutException(unknown, cause));
  }

  /**
   * Hands it over if the producer would take it. Asking first spares the interceptors of the
   * producer a failure for each attempt.
   *
   * @return false if it has to be tried again
   */
  boolean retry(ProducerInUse by) {
    if (answer.isDone()) {
      return true; // given up by the caller
    }
    refusal = by.refusal(topic(), bytes);
    return refusal == null ? handTo(by) : !mayPass(by, refusal);
  }

  /**
   * Hands it over, unless the producer would have to wait. Does not block.
   *
   * @return false if it has to be tried again
   */
  @SuppressWarnings("FutureReturnValueIgnored") // the callback is told the same
  boolean handTo(ProducerInUse by) {
    Reply reply = new Reply(by);
    try {
      by.producer().send(record(), reply);
    } catch (RuntimeException e) {
      fail(by, -1, e);
    } catch (Error e) { // of this message only; nobody else is told by this thread
      answer.completeExceptionally(e);
    }
    reply.handedOver = true;
    refusal = reply.refusal;
    return refusal == null || !mayPass(by, refusal);
  }

  private ProducerRecord<String, byte[]> record() {
    ProducerRecord<String, byte[]> record =
        new ProducerRecord<>(topic(), message.key(), message.payload());
    Headers headers = record.headers();
    message
        .headers()
        .forEach((name, value) -> headers.add(name, value.getBytes(StandardCharsets.UTF_8)));
    return record;
  }

  private final class Reply implements Callback {
    private final ProducerInUse by;
    private final Thread caller = Thread.currentThread();
    private boolean handedOver; // caller's thread only
    private @Nullable Exception refusal; // caller's thread only

    Reply(ProducerInUse by) {
      this.by = by;
    }

    @Override
    public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception failure) {
      if (failure == null) {
        answers.confirmed(topic());
        answer.complete(null);
      } else if (failure instanceof TimeoutException
          && Thread.currentThread() == caller
          && !handedOver) {
        refusal = failure;
      } else {
        fail(by, metadata == null ? -1 : metadata.partition(), failure);
      }
    }
  }

  /** Whether waiting helps. If not, fails the message. */
  private boolean mayPass(ProducerInUse by, Exception refusal) {
    boolean timeout = refusal instanceof TimeoutException;
    Throwable cause = timeout ? refusal.getCause() : null;
    if (timeout && (cause == null || cause instanceof RetriableException)) {
      return true; // also if there is no such topic: it may be about to be created
    }
    fail(by, -1, cause instanceof Exception ofTopic ? ofTopic : refusal);
    return false;
  }

  private Exception fail(ProducerInUse by, int partition, Exception failure) {
    boolean heardSince = by.heard() > (by == firstProducer ? heardBefore : 0);
    Exception told = answers.failed(topic(), partition, since, heardSince, failure);
    try {
      if (SendFailure.endsProducer(failure)) {
        producer.giveUp(by);
      }
    } finally {
      answer.completeExceptionally(told);
    }
    return told;
  }
}
