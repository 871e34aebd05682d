/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.route;

import io.posthorn.Batch;
import io.posthorn.DeliveryResult;
import io.posthorn.DestinationDownException;
import io.posthorn.PosthornException;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One batch on its way to a broker, with one message of each key at the most. The thread that runs
 * it sends everything itself, since a send may block; the sender's threads only hand in answers.
 */
final class Sending {
  /** After this time nothing more is sent of a batch, so that what was confirmed is settled. */
  static final Duration SLICE = Duration.ofMillis(500);

  /** A sender has this much longer than it says. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private final Batch<byte[]> batch;
  private final Sender sender;
  private final Preparing preparing;
  private final Ticker ticker;
  private final List<UnderWay> underWay = new ArrayList<>();
  private final CountDownLatch unanswered;
  private volatile boolean down;

  /** Makes what is to be sent. */
  @FunctionalInterface
  interface Preparing {
    /** Null if nothing is to be sent. */
    @Nullable Outgoing prepare(Batch.Item<byte[]> item) throws Exception;
  }

  /** A message that was sent, and the answer once there is one. */
  private static final class UnderWay {
    final Batch.Item<byte[]> item;
    volatile boolean answered;
    @Nullable Throwable failure; // written before answered; null if the broker has confirmed

    UnderWay(Batch.Item<byte[]> item) {
      this.item = item;
    }
  }

  Sending(Batch<byte[]> batch, Sender sender, Preparing preparing, Ticker ticker) {
    this.batch = batch;
    this.sender = sender;
    this.preparing = preparing;
    this.ticker = ticker;
    this.unanswered = new CountDownLatch(batch.items().size());
  }

  /** Sends all, or leaves what cannot be sent in time, and waits for the answers. */
  void run() throws InterruptedException {
    long end = ticker.nanos() + SLICE.toNanos();
    try {
      for (Batch.Item<byte[]> item : batch.items()) {
        if (!begin(item, end)) {
          unanswered.countDown();
        }
      }
      if (!unanswered.await(sender.timeout().plus(GRACE).toMillis(), TimeUnit.MILLISECONDS)) {
        underWay.stream().filter(sent -> !sent.answered).forEach(this::noAnswer);
      }
    } finally {
      underWay.stream().filter(sent -> sent.answered).forEach(this::settle);
    }
  }

  /**
   * @return whether an answer is to be waited for
   */
  private boolean begin(Batch.Item<byte[]> item, long end) {
    if (down || ticker.nanos() - end >= 0 || !batch.owned(item)) {
      batch.leave(item);
      return false;
    }
    try {
      Outgoing message = preparing.prepare(item);
      if (message == null) {
        batch.decide(item, DeliveryResult.ignored());
        return false;
      }
      send(item, message);
      return true;
    } catch (Exception e) { // the routes are the user's code, and so may the sender be
      failed(item, e);
      return false;
    }
  }

  private void send(Batch.Item<byte[]> item, Outgoing message) {
    UnderWay sent = new UnderWay(item);
    sender.send(message).whenComplete((any, failure) -> answer(sent, failure));
    underWay.add(sent);
  }

  /** On a thread of the sender, or within the send. */
  private void answer(UnderWay sent, @Nullable Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    noteIfDown(cause);
    sent.failure = cause;
    sent.answered = true;
    unanswered.countDown();
  }

  private void noteIfDown(@Nullable Throwable failure) {
    if (failure instanceof DestinationDownException) {
      down = true;
    }
  }

  private void settle(UnderWay sent) {
    if (sent.failure == null) {
      batch.decide(sent.item, DeliveryResult.delivered());
    } else {
      failed(sent.item, sent.failure);
    }
  }

  private void failed(Batch.Item<byte[]> item, Throwable failure) {
    noteIfDown(failure);
    batch.fail(
        item,
        failure instanceof Exception exception
            ? exception
            : new PosthornException("the sender failed", failure));
  }

  private void noAnswer(UnderWay sent) {
    failed(
        sent.item,
        new DestinationDownException(
            "no answer from %s within its timeout of %d s"
                .formatted(sender.getClass().getName(), sender.timeout().toSeconds()),
            null));
  }
}
