/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import io.posthorn.Admin.HistoryEntry;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.StoredMessage;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.WakeChannel;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * A message store without a database, for tests: it passes the same contracts as the others. Its
 * clock is its database's clock. Safe to share between threads and relays. Used with {@link
 * InMemoryTransactions}.
 *
 * @since 0.1
 */
public final class InMemoryStore implements MessageStore {
  private final InMemoryTables tables;
  private final InMemoryKeys keys;
  private final int partitions;

  /**
   * @param partitions how many
   */
  public InMemoryStore(Clock clock, int partitions) {
    this.tables = new InMemoryTables(clock, partitions);
    this.keys = new InMemoryKeys(clock);
    this.partitions = partitions;
  }

  @Override
  public int open() {
    return partitions;
  }

  @Override
  public void append(Transaction transaction, List<NewMessage> messages) {
    InMemoryTransactions.Open open = transaction.unwrap(InMemoryTransactions.Open.class);
    Instant now = tables.clock.instant();
    for (NewMessage message : messages) {
      StoredMessage row =
          tables.locked(() -> tables.stored(message.partition(), message.envelope(), now));
      NewMessage.Delay delay = message.delay();
      open.write(
          () ->
              tables.locked(
                  () ->
                      delay == null
                          ? tables.insertReady(row)
                          : tables.insertDelayed(row, dueAt(delay, now))));
    }
  }

  private static Instant dueAt(NewMessage.Delay delay, Instant now) {
    return delay instanceof NewMessage.Delay.After after
        ? now.plus(after.time())
        : ((NewMessage.Delay.Until) delay).time();
  }

  /** There is no log to be read: nothing is written. */
  @Override
  public void appendForLogOnly(Transaction transaction, List<NewMessage> messages) {}

  @Override
  public Optional<UUID> claim(
      Transaction transaction, String key, UUID messageId, Duration retention) {
    return keys.claim(transaction, key, messageId, retention);
  }

  @Override
  public int purgeIdempotency(Duration olderThan, int limit) {
    return keys.purge(olderThan, limit);
  }

  @Override
  public int purgeReady(Duration olderThan, int limit) {
    return tables.locked(
        () -> {
          Instant before = tables.clock.instant().minus(olderThan);
          List<InMemoryTables.Key> old =
              tables.ready.entrySet().stream()
                  .filter(row -> row.getValue().createdAt().isBefore(before))
                  .map(Map.Entry::getKey)
                  .limit(limit)
                  .toList();
          old.forEach(tables.ready::remove);
          return old.size();
        });
  }

  @Override
  public Settled settle(
      Transaction transaction, RelayIdentity me, Settlement settlement, Duration limit) {
    InMemoryTransactions.Open open = transaction.unwrap(InMemoryTransactions.Open.class);
    InMemoryRelayStore relay = new InMemoryRelayStore(tables, Duration.ZERO);
    open.write(() -> relay.settle(me, settlement));
    return tables.locked(
        () -> {
          if (!tables.instances.containsKey(me)) {
            return Settled.EXPELLED;
          }
          tables.fenced.add(me); // until the transaction ends
          open.afterCommit(() -> tables.locked(() -> tables.fenced.remove(me)));
          open.afterRollback(() -> tables.locked(() -> tables.fenced.remove(me)));
          return tables.has(settlement) ? Settled.DONE : Settled.GONE;
        });
  }

  @Override
  public int purgeHistory(Duration olderThan, int limit) {
    return tables.locked(
        () -> {
          Instant before = tables.clock.instant().minus(olderThan);
          List<HistoryEntry> old =
              tables.history.stream()
                  .filter(row -> row.deliveredAt().isBefore(before))
                  .sorted(Comparator.comparing(HistoryEntry::deliveredAt))
                  .limit(limit)
                  .toList();
          tables.history.removeAll(old);
          return old.size();
        });
  }

  @Override
  public AdminStore admin() {
    return new InMemoryAdminStore(tables);
  }

  @Override
  public StoreException.Kind kindOf(Throwable failure) {
    return StoreException.kindOf(failure);
  }

  @Override
  public RelayStore relay(Duration lease) {
    return new InMemoryRelayStore(tables, lease);
  }

  @Override
  public Optional<WakeChannel> wakeChannel() {
    return Optional.empty();
  }

  /** What is stored now. */
  public StoredRows rows() {
    return tables.rows();
  }
}
