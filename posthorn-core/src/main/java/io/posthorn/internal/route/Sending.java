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
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Hands one batch, with one message of each key at the most, to a sender. The thread that runs it
 * sends everything itself, since a send may block. Answers are not waited for: each message ends
 * when its own answer comes.
 */
final class Sending {
  /** After this time nothing more is sent of a batch, so that another thread can go on with it. */
  static final Duration SLICE = Duration.ofMillis(500);

  private final Batch<byte[]> batch;
  private final Sender sender;
  private final Preparing preparing;
  private final Ticker ticker;
  private volatile boolean down;

  /** Makes what is to be sent. */
  @FunctionalInterface
  interface Preparing {
    /** Null if nothing is to be sent. */
    @Nullable Outgoing prepare(Batch.Item<byte[]> item) throws Exception;
  }

  Sending(Batch<byte[]> batch, Sender sender, Preparing preparing, Ticker ticker) {
    this.batch = batch;
    this.sender = sender;
    this.preparing = preparing;
    this.ticker = ticker;
  }

  /** Sends all, or leaves what cannot be sent in time. */
  void run() {
    long end = ticker.nanos() + SLICE.toNanos();
    for (Batch.Item<byte[]> item : batch.items()) {
      if (down || ticker.nanos() - end >= 0 || !batch.owned(item)) {
        batch.leave(item);
      } else {
        begin(item);
      }
    }
  }

  private void begin(Batch.Item<byte[]> item) {
    try {
      Outgoing message = preparing.prepare(item);
      if (message == null) {
        batch.decide(item, DeliveryResult.ignored());
      } else if (!batch.waitsFor(item, message.destination())) {
        batch.underWay(item, () -> noAnswer(message));
        sender.send(message).whenComplete((any, failure) -> answered(item, failure));
      }
    } catch (Throwable e) { // the routes are the user's code, and so may the sender be
      failed(item, e);
    }
  }

  /** On a thread of the sender, or within the send. */
  private void answered(Batch.Item<byte[]> item, @Nullable Throwable failure) {
    if (failure == null) {
      batch.decide(item, DeliveryResult.delivered());
    } else {
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
      failed(item, cause == null ? failure : cause);
    }
  }

  private void failed(Batch.Item<byte[]> item, Throwable failure) {
    if (failure instanceof DestinationDownException unavailable
        && unavailable.destination().isEmpty()) {
      down = true;
    }
    batch.fail(
        item,
        failure instanceof Exception exception
            ? exception
            : new PosthornException("a route, its mapping or the sender failed", failure));
  }

  private DestinationDownException noAnswer(Outgoing message) {
    return DestinationDownException.of(
        message.destination(),
        "no answer from %s about a message to \"%s\" within its timeout of %d s"
            .formatted(
                sender.getClass().getName(), message.destination(), sender.timeout().toSeconds()),
        null);
  }
}
