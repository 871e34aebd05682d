/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import io.posthorn.Message;
import java.util.Map;

/**
 * Adds headers to each message that is published, from what the publishing thread knows: a
 * correlation id, a user, a trace. Safe to share between threads.
 *
 * <p>Headers that the message has already win; of several providers the one registered later. If it
 * throws, or returns what cannot be stored as headers, its headers are left out, the message is
 * published all the same, and that is logged once a minute.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface ContextProvider {
  /**
   * The headers to add, none of them null.
   *
   * @param message as the caller gave it, and the hooks changed it
   */
  Map<String, String> headers(Message message);
}
