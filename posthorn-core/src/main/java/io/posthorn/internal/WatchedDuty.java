/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal;

import io.posthorn.internal.run.HangingDuties;
import io.posthorn.spi.Duty;
import io.posthorn.spi.StoreException;

/** A duty that tells when it works again after it had found no database, and whether it hangs. */
final class WatchedDuty implements Duty {
  private final Duty duty;
  private final Runnable whenBack;
  private final HangingDuties hanging;
  private boolean away; // the duty's thread only

  WatchedDuty(Duty duty, Runnable whenBack, HangingDuties hanging) {
    this.duty = duty;
    this.whenBack = whenBack;
    this.hanging = hanging;
  }

  @Override
  public String name() {
    return duty.name();
  }

  @Override
  public StepResult runOnce() {
    StepResult result;
    hanging.begins(name());
    try {
      result = duty.runOnce();
    } catch (RuntimeException e) {
      away |= StoreException.kindOf(e) == StoreException.Kind.UNAVAILABLE;
      throw e;
    } finally {
      hanging.ended(name());
    }
    if (away) {
      away = false;
      whenBack.run();
    }
    return result;
  }
}
