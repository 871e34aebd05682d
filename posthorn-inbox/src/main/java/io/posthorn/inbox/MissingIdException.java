/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import io.posthorn.PosthornException;
import java.util.List;

/**
 * Messages of a batch have no id, so that they could not be handled; the others were. The cause
 * says what is wrong with the first of them.
 *
 * @since 0.1
 */
public final class MissingIdException extends PosthornException {
  private static final long serialVersionUID = 1L;

  @SuppressWarnings("serial") // whatever a broker's client has
  private final List<Object> messages;

  MissingIdException(String consumer, List<Object> messages, RuntimeException first) {
    super(
        "%d messages for \"%s\" not handled, the others were; the first of them: %s"
            .formatted(messages.size(), consumer, first.getMessage()),
        first);
    this.messages = List.copyOf(messages);
  }

  /** The messages without an id, in their order. */
  public List<Object> messages() {
    return messages;
  }
}
