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
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Says once a minute that something keeps failing, and once that it works again. Safe to share
 * between threads: all duties of a relay report a missing database under one name, so that it is
 * said once, and it is back when all of them have worked again. What fails again within a minute of
 * the last word about it is not news.
 */
public final class FailureLog {
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final String STORE = "the database";

  private final Logger logger;
  private final String relay;
  private final Ticker ticker;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Failing> known = new HashMap<>(); // guarded by lock
  private volatile boolean anyFailing;

  /** Something that fails, or has failed. Guarded by the lock. */
  private static final class Failing {
    final Set<String> duties = new HashSet<>(); // those that have not worked since
    long since;
    int times;
    boolean said;
    @Nullable Long lastWord;
  }

  public FailureLog(Logger logger, String relay, Ticker ticker) {
    this.logger = logger;
    this.relay = relay;
    this.ticker = ticker;
  }

  /**
   * Counts a failure of a duty, and says so unless it was said within the last minute. Throws
   * nothing, whatever becomes of the logger.
   */
  public void failed(String duty, Throwable cause) {
    try {
      note(duty, cause);
    } catch (RuntimeException | Error e) { // of the logger, or for want of memory
      anyFailing = true;
    }
  }

  private void note(String duty, Throwable cause) {
    boolean unavailable = StoreException.kindOf(cause) == StoreException.Kind.UNAVAILABLE;
    String what = unavailable ? STORE : ownName(duty);
    lock.lock();
    try {
      long now = ticker.nanos();
      Failing entry = known.computeIfAbsent(what, key -> new Failing());
      if (entry.duties.isEmpty()) {
        entry.since = now;
        entry.times = 0;
        entry.said = false;
      }
      entry.duties.add(duty);
      entry.times++;
      anyFailing = true;
      if (entry.lastWord == null || now - entry.lastWord >= MINUTE) {
        say(what, entry, now, cause, unavailable);
        entry.lastWord = now;
        entry.said = true;
      }
    } finally {
      lock.unlock();
    }
  }

  private static String ownName(String duty) {
    return "duty \"" + duty + "\"";
  }

  private void say(String what, Failing entry, long now, Throwable cause, boolean unavailable) {
    String reason = cause.getMessage() == null ? cause.getClass().getName() : cause.getMessage();
    if (unavailable) {
      logger.log(
          Level.WARNING,
          "[{0}] {1} is unavailable ({2} times in {3} s): {4}. Nothing is lost; trying again, next report in a minute",
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

  /**
   * Notes that a duty works; says that the database answers again, if no duty misses it now. Throws
   * nothing.
   */
  public void succeeded(String duty) {
    if (!anyFailing) {
      return;
    }
    try {
      noteBack(duty);
    } catch (RuntimeException | Error e) { // of the logger, or for want of memory
      anyFailing = true;
    }
  }

  private void noteBack(String duty) {
    lock.lock();
    try {
      sayIfBack(ownName(duty), duty, "works again");
      sayIfBack(STORE, duty, "is available again");
      anyFailing = known.values().stream().anyMatch(entry -> !entry.duties.isEmpty());
    } finally {
      lock.unlock();
    }
  }

  private void sayIfBack(String what, String duty, String news) {
    Failing entry = known.get(what);
    if (entry != null && entry.duties.remove(duty) && entry.duties.isEmpty() && entry.said) {
      entry.lastWord = ticker.nanos();
      logger.log(
          Level.INFO,
          "[{0}] {1} {2} after {3} s",
          relay,
          what,
          news,
          TimeUnit.NANOSECONDS.toSeconds(ticker.nanos() - entry.since));
    }
  }
}
