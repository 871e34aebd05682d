/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal;

import io.posthorn.internal.run.FailureLog;
import io.posthorn.spi.Duty;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A duty that tells when it works again after it had found no database, and that reports where it
 * is if a pass does not end. Statements have time limits, but a listener or another callback of the
 * user's may hang, and the relay would stand still in silence.
 */
final class WatchedDuty implements Duty {
  private final Duty duty;
  private final Runnable whenBack;
  private final Ticker ticker;
  private volatile @Nullable Pass pass;
  private boolean away; // the duty's thread only

  private record Pass(Thread thread, long since) {}

  /** Has the stack trace of the thread that hangs. */
  private static final class Hanging extends Exception {
    private static final long serialVersionUID = 1L;

    Hanging(Pass pass, long nanos) {
      super(
          "its pass has not ended for %d s, so what it does for this relay's partitions stands still; a listener or another callback may hang where the stack trace says"
              .formatted(TimeUnit.NANOSECONDS.toSeconds(nanos)));
      setStackTrace(pass.thread.getStackTrace());
    }
  }

  WatchedDuty(Duty duty, Runnable whenBack, Ticker ticker) {
    this.duty = duty;
    this.whenBack = whenBack;
    this.ticker = ticker;
  }

  @Override
  public String name() {
    return duty.name();
  }

  @Override
  public StepResult runOnce() {
    StepResult result;
    pass = new Pass(Thread.currentThread(), ticker.nanos());
    try {
      result = duty.runOnce();
    } catch (RuntimeException e) {
      away |= StoreException.kindOf(e) == StoreException.Kind.UNAVAILABLE;
      throw e;
    } finally {
      pass = null;
    }
    if (away) {
      away = false;
      whenBack.run();
    }
    return result;
  }

  /**
   * Reports a pass that has not ended in time. On any thread.
   *
   * @param limit how long a pass may take
   */
  void reportIfHanging(Duration limit, FailureLog failures) {
    Pass current = pass;
    long lasts = current == null ? 0 : ticker.nanos() - current.since;
    if (current != null && lasts >= limit.toNanos()) {
      failures.callFailed("duty \"" + name() + "\"", new Hanging(current, lasts));
    }
  }
}
