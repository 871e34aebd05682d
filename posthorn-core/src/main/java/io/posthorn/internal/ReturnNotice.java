/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal;

import io.posthorn.spi.Duty;
import io.posthorn.spi.StoreException;

/** A duty that tells when it works again after it had found no database. */
final class ReturnNotice implements Duty {
  private final Duty duty;
  private final Runnable whenBack;
  private boolean away; // the duty's thread only

  ReturnNotice(Duty duty, Runnable whenBack) {
    this.duty = duty;
    this.whenBack = whenBack;
  }

  @Override
  public String name() {
    return duty.name();
  }

  @Override
  public StepResult runOnce() {
    StepResult result;
    try {
      result = duty.runOnce();
    } catch (RuntimeException e) {
      away |= StoreException.kindOf(e) == StoreException.Kind.UNAVAILABLE;
      throw e;
    }
    if (away) {
      away = false;
      whenBack.run();
    }
    return result;
  }
}
