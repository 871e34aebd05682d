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
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Says, with the stack trace, that deliveries fail and that messages were given up: the first one
 * of each handler and exception class, and then once a minute with how many there were.
 */
final class DeliveryFailureLog implements RelayListener {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final int MAX_KINDS = 200;
  private static final int MAX_CAUSES = 100;

  private final String relay;
  private final Ticker ticker;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Kind, Said> said = new Newest<>(MAX_KINDS); // guarded by lock
  private final Map<Failed, Throwable> causes = new Newest<>(MAX_CAUSES); // guarded by lock

  /** What counts as the same. */
  private record Kind(String handler, String failure) {}

  /** When it was said last, and how many came since. */
  private record Said(long at, int since) {}

  /** A delivery whose failure has no consequence yet. */
  private record Failed(String handler, UUID message) {}

  DeliveryFailureLog(String relay, Ticker ticker) {
    this.relay = relay;
    this.ticker = ticker;
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
    Kind kind = new Kind(delivery.handler(), cause.getClass().getName());
    int since = countUnlessTime(kind, new Failed(delivery.handler(), delivery.messageId()));
    if (since >= 0) {
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
                  more(since)),
          cause);
    }
  }

  @Override
  public void dead(StoredMessage message, String handler, Fate.Dead fate) {
    Failed failed = new Failed(handler, message.envelope().id());
    Throwable cause = causeOf(failed);
    int since = countUnlessTime(new Kind(handler, ""), failed);
    if (since >= 0) {
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
                  more(since)),
          cause);
    }
  }

  private static String more(int since) {
    return since == 0 ? "" : " (and " + since + " more since the last report)";
  }

  private @Nullable Throwable causeOf(Failed failed) {
    lock.lock();
    try {
      return causes.get(failed);
    } finally {
      lock.unlock();
    }
  }

  /** How many were not reported, if it is time for a report; else -1. */
  private int countUnlessTime(Kind kind, Failed failed) {
    lock.lock();
    try {
      causes.remove(failed);
      long now = ticker.nanos();
      Said last = said.get(kind);
      if (last != null && now - last.at < MINUTE) {
        said.put(kind, new Said(last.at, last.since + 1));
        return -1;
      }
      said.put(kind, new Said(now, 0));
      return last == null ? 0 : last.since;
    } finally {
      lock.unlock();
    }
  }

  /** Forgets the oldest, so that what is kept has an end. */
  private static final class Newest<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1L;

    private final int most;

    Newest(int most) {
      this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > most;
    }
  }
}
