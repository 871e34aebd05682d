/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The handlers of the application under test: each of another kind, their types overlap. */
public enum Receiver {
  /** Takes one message at a time. */
  BILL(Set.of(Receiver.ORDER, Receiver.REFUND)),
  /** Takes batches. */
  SHIP(Set.of(Receiver.ORDER, Receiver.NOTE)),
  /** Its effect is a row of the database, in the transaction that settles the message. */
  LEDGER(Set.of(Receiver.ORDER, Receiver.REFUND)),
  /** Has a fallback. */
  AUDIT(Set.of(Receiver.REFUND, Receiver.NOTE)),
  /** Lets later messages of a key pass one that has failed. */
  SEARCH(Set.of(Receiver.ORDER, Receiver.NOTE)),
  /** Its destination is down now and then; a dead letter blocks its lane. */
  GATEWAY(Set.of(Receiver.REFUND));

  public static final String ORDER = "order";
  public static final String REFUND = "refund";
  public static final String NOTE = "note";

  /** All types, the one that most handlers take first. */
  public static final List<String> TYPES = List.of(ORDER, REFUND, NOTE);

  /** All handlers by name. */
  public static final Set<String> NAMES =
      Arrays.stream(values()).map(Receiver::label).collect(Collectors.toUnmodifiableSet());

  private static final int ATTEMPTS = 3;
  private static final int TRANSACTIONAL_ATTEMPTS = 5;

  private final Set<String> types;

  Receiver(Set<String> types) {
    this.types = types;
  }

  public static Receiver named(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  /** The name of the handler. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  public Set<String> types() {
    return types;
  }

  public boolean takes(Sent message) {
    return types.contains(message.type());
  }

  public boolean isBatch() {
    return this == SHIP;
  }

  public boolean isTransactional() {
    return this == LEDGER;
  }

  public boolean hasFallback() {
    return this == AUDIT;
  }

  public boolean letsPass() {
    return this == SEARCH;
  }

  /** Whether a dead letter blocks its lane until an operator deals with it. */
  public boolean blocks() {
    return this == GATEWAY;
  }

  public boolean hasDestination() {
    return this == GATEWAY;
  }

  /**
   * After so many failures a message is dead. A transactional handler has more of them: a statement
   * that takes too long is an attempt of its message.
   */
  public int attempts() {
    return isTransactional() ? TRANSACTIONAL_ATTEMPTS : ATTEMPTS;
  }
}
