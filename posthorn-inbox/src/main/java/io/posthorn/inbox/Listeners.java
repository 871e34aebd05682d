/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import io.posthorn.spi.LoggerSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Consumer;

/** Tells listeners, and lets nothing of theirs get to the messages. */
final class Listeners {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.inbox");

  private final List<InboxListener> listeners;

  /** One of the events that are counted. */
  interface Event {
    void tell(InboxListener listener, String consumer, int messages);
  }

  Listeners(List<InboxListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  /** Tells nothing about no messages. */
  void tell(String consumer, int messages, Event event) {
    if (messages > 0) {
      tell(listener -> event.tell(listener, consumer, messages));
    }
  }

  void tell(Consumer<InboxListener> event) {
    for (InboxListener listener : listeners) {
      try {
        event.accept(listener);
      } catch (RuntimeException e) {
        LOGGER.log(Level.WARNING, "an inbox listener failed; no message is affected", e);
      }
    }
  }
}
