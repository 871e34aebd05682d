/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.Assertions;

/**
 * Assertions on what is stored: {@code
 * StoreAssert.assertThat(store.rows()).hasPublished("order-placed")}.
 *
 * @since 0.1
 */
public final class StoreAssert extends AbstractAssert<StoreAssert, StoredRows> {
  private StoreAssert(StoredRows rows) {
    super(rows, StoreAssert.class);
  }

  public static StoreAssert assertThat(StoredRows rows) {
    return new StoreAssert(rows);
  }

  /** A message of this type waits for delivery. */
  public StoreAssert hasPublished(String type) {
    Assertions.assertThat(actual.ready()).extracting(StoredRows.Ready::type).contains(type);
    return this;
  }

  /** This many messages wait for delivery. */
  public StoreAssert hasReady(int count) {
    Assertions.assertThat(actual.ready()).as("ready messages").hasSize(count);
    return this;
  }

  /** The lane has messages that wait, so later ones wait behind them. */
  public StoreAssert laneIsBlocked(String handler, String key) {
    Assertions.assertThat(actual.deferred())
        .as("deferred messages of handler \"%s\" and key \"%s\"", handler, key)
        .anyMatch(row -> row.handler().equals(handler) && key.equals(row.key()));
    return this;
  }

  /** Nothing of the lane waits. */
  public StoreAssert laneIsFree(String handler, String key) {
    Assertions.assertThat(actual.deferred())
        .as("deferred messages of handler \"%s\" and key \"%s\"", handler, key)
        .noneMatch(row -> row.handler().equals(handler) && key.equals(row.key()));
    return this;
  }

  /** This many dead letters are kept. */
  public StoreAssert hasDeadLetters(int count) {
    Assertions.assertThat(actual.dead()).as("dead letters").hasSize(count);
    return this;
  }

  /** No message is left, waiting or dead. */
  public StoreAssert hasNoMessages() {
    Assertions.assertThat(actual.noMessages()).as("no messages, but found %s", actual).isTrue();
    return this;
  }
}
