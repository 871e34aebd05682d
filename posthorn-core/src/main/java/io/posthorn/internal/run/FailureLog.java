/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import io.posthorn.spi.StoreException;
import io.posthorn.spi.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Says once a minute that something keeps failing, and once that it works again. Safe to share
 * between threads: all duties of a relay report a missing database under one name, so that it is
 * said once.
 */
public final class FailureLog {
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final String STORE = "the database";

  private final Logger logger;
  private final String relay;
  private final Ticker ticker;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Failing> failing = new HashMap<>(); // guarded by lock
  private volatile boolean anyFailing;

  private static final class Failing {
    long since;
    long lastSaid;
    int times;
    String lastDuty = "";
  }

  public FailureLog(Logger logger, String relay, Ticker ticker) {
    this.logger = logger;
    this.relay = relay;
    this.ticker = ticker;
  }

  /** Counts a failure of a duty, and says so unless it was said within the last minute. */
  public void failed(String duty, Throwable cause) {
    boolean unavailable = cause instanceof StoreException store && !store.isRefused();
    String what = unavailable ? STORE : "duty \"" + duty + "\"";
    lock.lock();
    try {
      long now = ticker.nanos();
      Failing entry = failing.computeIfAbsent(what, key -> begun(now));
      anyFailing = true;
      entry.times++;
      entry.lastDuty = duty;
      if (entry.times > 1 && now - entry.lastSaid < MINUTE) {
        return;
      }
      entry.lastSaid = now;
      say(what, entry, now, cause, unavailable);
    } finally {
      lock.unlock();
    }
  }

  private static Failing begun(long now) {
    Failing entry = new Failing();
    entry.since = now;
    return entry;
  }

  private void say(String what, Failing entry, long now, Throwable cause, boolean unavailable) {
    String reason = cause.getMessage() == null ? cause.getClass().getName() : cause.getMessage();
    if (unavailable) {
      logger.log(
          Level.WARNING,
          "[{0}] {1} did not answer ({2} times in {3} s): {4}. Nothing is lost; trying again, next report in a minute",
          relay,
          what,
          entry.times,
          TimeUnit.NANOSECONDS.toSeconds(now - entry.since),
          reason);
    } else {
      logger.log(
          Level.WARNING,
          "["
              + relay
              + "] "
              + what
              + " failed ("
              + entry.times
              + " times); trying again, next report in a minute",
          cause);
    }
  }

  /** Says that a duty works again, if it had failed. */
  public void succeeded(String duty) {
    if (!anyFailing) {
      return;
    }
    lock.lock();
    try {
      String what = "duty \"" + duty + "\"";
      Failing own = failing.remove(what);
      if (own != null) {
        logger.log(
            Level.INFO,
            "[{0}] {1} works again after {2} s",
            relay,
            what,
            TimeUnit.NANOSECONDS.toSeconds(ticker.nanos() - own.since));
      }
      Failing store = failing.get(STORE);
      if (store != null && store.lastDuty.equals(duty)) {
        failing.remove(STORE);
        logger.log(
            Level.INFO,
            "[{0}] the database answers again after {1} s",
            relay,
            TimeUnit.NANOSECONDS.toSeconds(ticker.nanos() - store.since));
      }
      anyFailing = !failing.isEmpty();
    } finally {
      lock.unlock();
    }
  }
}
