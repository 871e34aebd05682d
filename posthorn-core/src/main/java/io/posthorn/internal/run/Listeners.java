/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import io.posthorn.spi.RelayListener;
import io.posthorn.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The one guard around listeners: catches, counts, continues. */
public final class Listeners {
  private final List<RelayListener> listeners;
  private final FailureLog failures;

  public Listeners(List<RelayListener> listeners, FailureLog failures) {
    this.listeners = List.copyOf(listeners);
    this.failures = failures;
  }

  /** Those of a relay: it counts, and says what fails. */
  public static Listeners ofRelay(
      String relay,
      List<RelayListener> listeners,
      Counters counters,
      Ticker ticker,
      FailureLog failures) {
    List<RelayListener> all = new ArrayList<>(listeners);
    all.add(counters);
    all.add(new DeliveryFailureLog(relay, ticker));
    return new Listeners(all, failures);
  }

  /** Tells every listener, whatever the others throw. */
  public void tell(Consumer<RelayListener> event) {
    for (RelayListener listener : listeners) {
      try {
        event.accept(listener);
      } catch (RuntimeException | Error e) { // a missing class of a metrics library, for example
        report(listener, e);
      }
    }
  }

  /** Stored outcomes must not be forgotten for want of the memory to say that a listener failed. */
  private void report(RelayListener listener, Throwable failure) {
    try {
      failures.callFailed("listener " + listener.getClass().getName(), failure);
    } catch (Error e) {
      failures.callFailed("a listener", failure);
    }
  }
}
