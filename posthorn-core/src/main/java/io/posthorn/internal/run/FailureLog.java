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
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Logs what fails. Duties are reported by state: a line at once when one stops working, one a
 * minute while that lasts, and one when it works again; a database that cannot be used is one state
 * of all duties together. What has no state, such as callbacks of the user, is reported at the
 * first failure and then once a minute. Safe to share between threads, and throws nothing, whatever
 * becomes of the logger.
 */
public final class FailureLog {
  private static final String STORE = "the database";

  private final Logger logger;
  private final String relay;
  private final Ticker ticker;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Outage> outages = new HashMap<>(); // guarded by lock
  private final OncePerMinute<String> single;
  private volatile boolean anyFailing;

  public FailureLog(Logger logger, String relay, Ticker ticker) {
    this.logger = logger;
    this.relay = relay;
    this.ticker = ticker;
    this.single = new OncePerMinute<>(ticker);
  }

  /** A duty failed, and is tried again. */
  public void failed(String duty, Throwable cause) {
    anyFailing = true;
    try {
      note(duty, cause);
    } catch (RuntimeException | Error e) { // of the logger, or for want of memory
      anyFailing = true;
    }
  }

  private void note(String duty, Throwable cause) {
    boolean unavailable = StoreException.kindOf(cause) == StoreException.Kind.UNAVAILABLE;
    lock.lock();
    try {
      long now = ticker.nanos();
      closeOver(now);
      Outage ofStore = outages.get(STORE);
      if (!unavailable && ofStore != null) {
        ofStore.worked(duty, now); // whatever failed now, it got that far
      }
      Outage outage = outages.computeIfAbsent(unavailable ? STORE : duty, what -> new Outage(now));
      outage.failed(duty);
      anyFailing = true;
      if (outage.reportDue(now)) {
        String text = unavailable ? ofStore(outage, now, cause) : ofDuty(duty, outage, now, cause);
        write(Level.WARNING, text, unavailable ? null : cause);
        outage.reportedAt(now);
      }
    } finally {
      lock.unlock();
    }
  }

  private static String ofStore(Outage outage, long now, Throwable cause) {
    return (outage.wasReported()
            ? "still cannot use the database after %s and %d failures: %s"
                .formatted(seconds(outage.lasts(now)), outage.failures(), reason(cause))
            : "cannot use the database: " + reason(cause))
        + ". Nothing is lost; trying again, next report in a minute";
  }

  private static String ofDuty(String duty, Outage outage, long now, Throwable cause) {
    return (outage.wasReported()
            ? "duty \"%s\" still fails after %s and %d failures: %s"
                .formatted(duty, seconds(outage.lasts(now)), outage.failures(), reason(cause))
            : "duty \"%s\" fails: %s".formatted(duty, reason(cause)))
        + ". Trying again, next report in a minute";
  }

  /** A duty works. Says so when it had failed, and has worked for a few seconds since. */
  public void succeeded(String duty) {
    if (!anyFailing) {
      return;
    }
    try {
      noteSuccess(duty);
    } catch (RuntimeException | Error e) { // of the logger, or for want of memory
      anyFailing = true;
    }
  }

  private void noteSuccess(String duty) {
    lock.lock();
    try {
      long now = ticker.nanos();
      outages.values().forEach(outage -> outage.worked(duty, now));
      closeOver(now);
      anyFailing = !outages.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private void closeOver(long now) {
    Iterator<Map.Entry<String, Outage>> all = outages.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<String, Outage> entry = all.next();
      if (entry.getValue().isOver(now)) {
        all.remove();
        sayOver(entry.getKey(), entry.getValue());
      }
    }
  }

  private void sayOver(String what, Outage outage) {
    if (outage.wasReported()) {
      String news =
          what.equals(STORE) ? "can use the database again" : "duty \"" + what + "\" works again";
      write(Level.INFO, news + " after " + seconds(outage.lasted()), null);
    }
  }

  /** Something that has no state failed, such as a callback of the user. */
  public void callFailed(String what, Throwable cause) {
    try {
      OptionalInt unreported = single.count(what);
      if (unreported.isPresent()) {
        write(
            Level.WARNING,
            what + " failed: " + reason(cause) + OncePerMinute.more(unreported.getAsInt()),
            cause);
      }
    } catch (RuntimeException | Error ignored) { // of the logger, or for want of memory
      // Nothing can be said; the next one is.
    }
  }

  private void write(Level level, String text, @Nullable Throwable cause) {
    logger.log(level, "[" + relay + "] " + text, cause);
  }

  private static String reason(Throwable cause) {
    return cause.getMessage() == null ? cause.getClass().getName() : cause.getMessage();
  }

  private static String seconds(long nanos) {
    long whole = TimeUnit.NANOSECONDS.toSeconds(nanos);
    return whole >= 10 ? whole + " s" : String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
  }
}
