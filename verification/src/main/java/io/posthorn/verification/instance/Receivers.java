/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import static java.util.Objects.requireNonNull;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.ReceiptLog;
import java.util.concurrent.TimeUnit;

/** Handlers that note what they get, and behave as the message says. */
final class Receivers {
  static final String TYPE = "chaos";
  private static final int EXIT_STATUS = 78;

  private final ReceiptLog receipts;
  private final CrashPoint crash;

  Receivers(ReceiptLog receipts, CrashPoint crash) {
    this.receipts = receipts;
    this.crash = crash;
  }

  HandlerSpec<String> handler(String name) {
    return HandlerSpec.of(
        name,
        TYPE,
        String.class,
        (nature, delivery) -> take(Nature.valueOf(requireNonNull(nature, "nature")), delivery));
  }

  private void take(Nature nature, Delivery delivery) throws InterruptedException {
    receipts.note(Receipt.Kind.STARTED, delivery);
    crash.at(CrashPoint.Step.STARTED);
    boolean done = false;
    try {
      behave(nature, delivery);
      done = true;
    } finally {
      receipts.note(done ? Receipt.Kind.DONE : Receipt.Kind.FAILED, delivery);
    }
    crash.at(CrashPoint.Step.DELIVERED);
  }

  private void behave(Nature nature, Delivery delivery) throws InterruptedException {
    switch (nature) {
      case PLAIN -> {}
      case SLOW -> TimeUnit.MILLISECONDS.sleep(50);
      case FAILS_ONCE -> {
        if (delivery.attempt() == 1) {
          throw new IllegalStateException("fails at the first attempt");
        }
      }
      case HANGS -> {
        if (delivery.attempt() == 1) {
          TimeUnit.MINUTES.sleep(10); // until the relay interrupts it
        }
      }
      case POISON -> throw new IllegalStateException("never succeeds");
      case KILLER -> Runtime.getRuntime().halt(EXIT_STATUS);
    }
  }
}
