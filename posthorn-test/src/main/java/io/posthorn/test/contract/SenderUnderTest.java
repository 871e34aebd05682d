/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A sender with its broker, and what a contract needs around them. Used by one thread at a time.
 *
 * @since 0.1
 */
public interface SenderUnderTest extends AutoCloseable {
  /** With timeouts that a slow machine does not reach. May be shared between threads. */
  Sender sender();

  /**
   * One that gives up within seconds, if {@link #sender} waits for a broker that is away. For tests
   * of that, and for nothing else: on a busy machine a broker that is there may take as long.
   */
  default Sender impatientSender() {
    return sender();
  }

  /** A destination that is there, takes everything, and keeps the order of a key. */
  String destination();

  /**
   * What the destination has got since the beginning, in the order of each key.
   *
   * @param atLeast how many to wait for
   * @param limit after which it returns what is there
   */
  List<Received> received(int atLeast, Duration limit);

  /** The broker cannot be reached until {@link #restore}. */
  void interrupt();

  /** The broker is back, with everything that it had confirmed. */
  void restore();

  /** A message that this broker never takes, for this destination; empty if it takes everything. */
  Optional<Outgoing> refused();

  /** Whether it can tell a message without payload from one with an empty payload. */
  boolean keepsTombstones();

  /**
   * What arrived.
   *
   * @param key as far as the broker keeps one
   * @param payload null is a tombstone
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Received(@Nullable String key, Map<String, String> headers, byte @Nullable [] payload) {}

  /** Called after each test. */
  @Override
  void close();
}
