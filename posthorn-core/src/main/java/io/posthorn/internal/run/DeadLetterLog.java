/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.StoredMessage;
import io.posthorn.spi.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Says that messages were given up: for each handler once a minute, with how many there were. */
final class DeadLetterLog implements RelayListener {
  private static final Logger LOGGER = System.getLogger("io.posthorn.relay");
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private final String relay;
  private final Ticker ticker;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Said> byHandler = new HashMap<>(); // guarded by lock

  /** When it was said last, and how many came since. */
  private record Said(long at, int since) {}

  DeadLetterLog(String relay, Ticker ticker) {
    this.relay = relay;
    this.ticker = ticker;
  }

  @Override
  public void dead(StoredMessage message, String handler, Fate.Dead fate) {
    int since = countUnlessTime(handler);
    if (since < 0) {
      return;
    }
    LOGGER.log(
        Level.ERROR,
        "[{0}] message \"{1}\" of type \"{2}\" is a dead letter of handler \"{3}\" after {4} attempts: {5}{6}",
        relay,
        message.envelope().id(),
        message.envelope().type(),
        handler,
        fate.attempts(),
        fate.error(),
        since == 0 ? "" : " (and " + since + " more since the last report)");
  }

  /** How many were not reported, if it is time for a report; else -1. */
  private int countUnlessTime(String handler) {
    lock.lock();
    try {
      long now = ticker.nanos();
      Said said = byHandler.get(handler);
      if (said != null && now - said.at < MINUTE) {
        byHandler.put(handler, new Said(said.at, said.since + 1));
        return -1;
      }
      byHandler.put(handler, new Said(now, 0));
      return said == null ? 0 : said.since;
    } finally {
      lock.unlock();
    }
  }
}
