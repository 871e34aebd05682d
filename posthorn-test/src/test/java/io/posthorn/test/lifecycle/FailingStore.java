/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.lifecycle;

import io.posthorn.spi.AdminStore;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.WakeChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A store that cannot be opened, or gives no access to relays, until it is told otherwise. */
final class FailingStore implements MessageStore {
  private final MessageStore store;
  volatile boolean openFails;
  volatile boolean relayFails;

  FailingStore(MessageStore store) {
    this.store = store;
  }

  private static void failIf(boolean fails) {
    if (fails) {
      throw StoreException.unavailable("no database here", null);
    }
  }

  @Override
  public int open() {
    failIf(openFails);
    return store.open();
  }

  @Override
  public void append(Transaction transaction, List<NewMessage> messages) {
    store.append(transaction, messages);
  }

  @Override
  public void appendForLogOnly(Transaction transaction, List<NewMessage> messages) {
    store.appendForLogOnly(transaction, messages);
  }

  @Override
  public Optional<UUID> claim(
      Transaction transaction, String key, UUID messageId, Duration retention) {
    return store.claim(transaction, key, messageId, retention);
  }

  @Override
  public int purgeIdempotency(Duration olderThan, int limit) {
    return store.purgeIdempotency(olderThan, limit);
  }

  @Override
  public int purgeReady(Duration olderThan, int limit) {
    return store.purgeReady(olderThan, limit);
  }

  @Override
  public Settled settle(
      Transaction transaction, RelayIdentity me, Settlement settlement, Duration limit) {
    return store.settle(transaction, me, settlement, limit);
  }

  @Override
  public int purgeHistory(Duration olderThan, int limit) {
    return store.purgeHistory(olderThan, limit);
  }

  @Override
  public AdminStore admin() {
    return store.admin();
  }

  @Override
  public StoreException.Kind kindOf(Throwable failure) {
    return store.kindOf(failure);
  }

  @Override
  public RelayStore relay(Duration lease) {
    failIf(relayFails);
    return store.relay(lease);
  }

  @Override
  public Optional<WakeChannel> wakeChannel() {
    return store.wakeChannel();
  }
}
