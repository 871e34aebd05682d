/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import io.posthorn.Delivery;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.StoredMessage;
import io.posthorn.spi.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Says, with the stack trace, that deliveries fail and that messages were given up: the first one
 * of each handler and exception class, and then once a minute with how many there were.
 */
final class DeliveryFailureLog implements RelayListener {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");
  private static final int MAX_CAUSES = 100;

  private final String relay;
  private final OncePerMinute<Kind> retries;
  private final OncePerMinute<Kind> deadLetters;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Failed, Throwable> causes =
      new OncePerMinute.Newest<>(MAX_CAUSES); // guarded by lock

  /** What counts as the same. */
  private record Kind(String handler, String failure) {
    /** Without a cause if the handler decided so, for example. */
    static Kind of(String handler, @Nullable Throwable cause) {
      return new Kind(handler, cause == null ? "" : cause.getClass().getName());
    }
  }

  /** A delivery whose failure has no consequence yet. */
  private record Failed(String handler, UUID message) {}

  DeliveryFailureLog(String relay, Ticker ticker) {
    this.relay = relay;
    this.retries = new OncePerMinute<>(ticker);
    this.deadLetters = new OncePerMinute<>(ticker);
  }

  @Override
  public void failed(Delivery delivery, Throwable cause) {
    lock.lock();
    try {
      causes.put(new Failed(delivery.handler(), delivery.messageId()), cause);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void retrying(Delivery delivery, @Nullable Throwable cause, Duration delay) {
    if (cause == null) {
      return; // the handler asked for it
    }
    takeCause(new Failed(delivery.handler(), delivery.messageId()));
    OptionalInt unreported = retries.count(Kind.of(delivery.handler(), cause));
    if (unreported.isPresent()) {
      LOGGER.log(
          Level.WARNING,
          "[%s] handler \"%s\" failed at message \"%s\" of type \"%s\", attempt %d; it is tried again in %s%s"
              .formatted(
                  relay,
                  delivery.handler(),
                  delivery.messageId(),
                  delivery.type(),
                  delivery.attempt(),
                  delay,
                  OncePerMinute.more(unreported.getAsInt())),
          cause);
    }
  }

  @Override
  public void dead(StoredMessage message, String handler, Fate.Dead fate) {
    Throwable cause = takeCause(new Failed(handler, message.envelope().id()));
    OptionalInt unreported = deadLetters.count(Kind.of(handler, cause));
    if (unreported.isPresent()) {
      LOGGER.log(
          Level.ERROR,
          "[%s] message \"%s\" of type \"%s\" is a dead letter of handler \"%s\" after %d attempts: %s%s"
              .formatted(
                  relay,
                  message.envelope().id(),
                  message.envelope().type(),
                  handler,
                  fate.attempts(),
                  fate.error(),
                  OncePerMinute.more(unreported.getAsInt())),
          cause);
    }
  }

  private @Nullable Throwable takeCause(Failed failed) {
    lock.lock();
    try {
      return causes.remove(failed);
    } finally {
      lock.unlock();
    }
  }
}
