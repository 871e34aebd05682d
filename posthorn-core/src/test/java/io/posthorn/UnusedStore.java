/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import io.posthorn.spi.AdminStore;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transactions;
import io.posthorn.spi.WakeChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A store that a test of the settings must never come to use. */
final class UnusedStore implements MessageStore {
  static final Transactions NO_TRANSACTIONS =
      () -> {
        throw unused();
      };

  private static AssertionError unused() {
    return new AssertionError("building must not touch the store");
  }

  @Override
  public int open() {
    throw unused();
  }

  @Override
  public void append(Transaction transaction, List<NewMessage> messages) {
    throw unused();
  }

  @Override
  public void appendForLogOnly(Transaction transaction, List<NewMessage> messages) {
    throw unused();
  }

  @Override
  public Optional<UUID> claim(
      Transaction transaction, String key, UUID messageId, Duration retention) {
    throw unused();
  }

  @Override
  public int purgeIdempotency(Duration olderThan, int limit) {
    throw unused();
  }

  @Override
  public int purgeReady(Duration olderThan, int limit) {
    throw unused();
  }

  @Override
  public Settled settle(
      Transaction transaction, RelayIdentity me, Settlement settlement, Duration limit) {
    throw unused();
  }

  @Override
  public int purgeHistory(Duration olderThan, int limit) {
    throw unused();
  }

  @Override
  public AdminStore admin() {
    throw unused();
  }

  @Override
  public StoreException.Kind kindOf(Throwable failure) {
    throw unused();
  }

  @Override
  public RelayStore relay(Duration lease) {
    throw unused();
  }

  @Override
  public Optional<WakeChannel> wakeChannel() {
    throw unused();
  }
}
