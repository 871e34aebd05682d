/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import io.posthorn.PosthornException;
import org.jspecify.annotations.Nullable;

/**
 * A store could not do what it was asked for.
 *
 * @since 0.1
 */
public final class StoreException extends PosthornException {
  private static final long serialVersionUID = 1L;

  private final boolean refused;

  private StoreException(String message, @Nullable Throwable cause, boolean refused) {
    super(message, cause);
    this.refused = refused;
  }

  /**
   * The store cannot be reached or is overloaded; the same call may work later. The outcome may be
   * unknown.
   */
  public static StoreException unavailable(String message, @Nullable Throwable cause) {
    return new StoreException(message, cause, false);
  }

  /** The store refuses this very content; the same call fails again. Nothing was changed. */
  public static StoreException refused(String message, @Nullable Throwable cause) {
    return new StoreException(message, cause, true);
  }

  /** Whether the content was refused, rather than the store out of reach. */
  public boolean isRefused() {
    return refused;
  }
}
