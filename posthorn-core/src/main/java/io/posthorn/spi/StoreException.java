/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

import io.posthorn.PosthornException;
import org.jspecify.annotations.Nullable;

/**
 * A store could not do what it was asked for.
 *
 * @since 0.1
 */
public final class StoreException extends PosthornException {
  private static final long serialVersionUID = 1L;
  private static final int MAX_CAUSES = 20;

  private final Kind kind;

  /** What a failure says, and so what the engine does about it. */
  public enum Kind {
    /**
     * The store cannot be reached, is shutting down or lacks resources: nobody's fault, and the
     * same call may work later. Whether it was done is not known.
     */
    UNAVAILABLE,
    /**
     * The store refuses this very content, or the transaction it belongs to was aborted: the same
     * call fails again. Nothing was changed.
     */
    CONTENT,
    /**
     * Anything else: a deadlock, a timeout, a trigger, missing rights. The same call may fail again
     * or not. Nothing was changed.
     */
    UNKNOWN
  }

  /**
   * @param cause null if there is none
   */
  public StoreException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = requireNonNull(kind, "kind");
  }

  /** One of the kind {@link Kind#UNAVAILABLE}. */
  public static StoreException unavailable(String message, @Nullable Throwable cause) {
    return new StoreException(Kind.UNAVAILABLE, message, cause);
  }

  public Kind kind() {
    return kind;
  }

  /** The kind of the outermost one among a failure and its causes; unknown if there is none. */
  public static Kind kindOf(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
      if (cause instanceof StoreException store) {
        return store.kind;
      }
      cause = cause.getCause();
    }
    return Kind.UNKNOWN;
  }
}
