/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.Batch;
import io.posthorn.Delivery;
import io.posthorn.DestinationDownException;
import io.posthorn.HandlerSpec;
import io.posthorn.HandlerSpec.LanePolicy;
import io.posthorn.RetryPolicy;
import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.ReceiptLog;
import io.posthorn.verification.history.Receiver;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Handlers that note what they get, and behave as the message says. */
final class Receivers {
  private static final int BATCH = 10;
  private static final Duration RETRY_DELAY = Duration.ofMillis(200);

  private final ReceiptLog receipts;
  private final VitalsMonitor vitals;
  private final Conduct conduct;
  private final CrashPoint crash;

  Receivers(ReceiptLog receipts, VitalsMonitor vitals, Conduct conduct, CrashPoint crash) {
    this.receipts = receipts;
    this.vitals = vitals;
    this.conduct = conduct;
    this.crash = crash;
  }

  HandlerSpec<byte[]> handler(Receiver receiver) {
    String first = receiver.types().iterator().next();
    HandlerSpec<byte[]> spec =
        receiver.isBatch()
            ? HandlerSpec.batch(
                receiver.label(), first, byte[].class, BATCH, batch -> take(receiver, batch))
            : HandlerSpec.of(
                receiver.label(),
                first,
                byte[].class,
                (payload, delivery) -> take(receiver, payload, delivery));
    for (String type : receiver.types()) {
      spec = spec.alsoType(type);
    }
    spec = spec.retry(RetryPolicy.fixed(RETRY_DELAY, receiver.attempts()));
    spec = receiver.isTransactional() ? spec.transactional() : spec;
    spec = receiver.letsPass() ? spec.lanePolicy(LanePolicy.PASS) : spec;
    spec = receiver.blocks() ? spec.lanePolicy(LanePolicy.BLOCK) : spec;
    return receiver.hasFallback()
        ? spec.fallback((payload, delivery, cause) -> fallBack(delivery, cause))
        : spec;
  }

  private void take(Receiver receiver, byte @Nullable [] payload, Delivery delivery)
      throws Exception {
    receipts.note(Receipt.Kind.STARTED, delivery);
    vitals.begins(delivery, delivery.attempt() == 1 && !receiver.hasDestination());
    crash.at(CrashPoint.Step.STARTED);
    if (!Contents.isIntact(payload, delivery.headers())) {
      receipts.note(Receipt.Kind.GARBLED, delivery);
    }
    Receipt.Kind end = Receipt.Kind.FAILED;
    try {
      end = conduct.act(receiver, delivery);
    } catch (DestinationDownException e) {
      end = Receipt.Kind.REFUSED;
      throw e;
    } finally {
      receipts.note(end, delivery);
    }
    crash.at(CrashPoint.Step.DELIVERED);
  }

  private void take(Receiver receiver, Batch<byte[]> batch) {
    Set<String> waiting = new HashSet<>();
    boolean interrupted = false;
    for (Batch.Item<byte[]> item : batch.items()) {
      String key = item.delivery().key();
      if (key != null && waiting.contains(key)) {
        continue;
      }
      boolean done = false;
      if (interrupted || !batch.owned(item)) {
        batch.leave(item);
      } else {
        try {
          take(receiver, item.payload(), item.delivery());
          done = true;
        } catch (Exception e) {
          interrupted = e instanceof InterruptedException;
          batch.fail(item, e);
        }
      }
      if (key != null && !done) {
        waiting.add(key);
      }
    }
  }

  private void fallBack(Delivery delivery, Throwable cause) {
    if (Contents.nature(delivery.headers()) == Nature.INCURABLE) {
      receipts.note(Receipt.Kind.GAVE_UP, delivery);
      throw new IllegalStateException("no fallback helps", cause);
    }
    receipts.note(Receipt.Kind.FELL_BACK, delivery);
  }
}
