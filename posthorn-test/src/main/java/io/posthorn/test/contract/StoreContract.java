/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.DueRequest;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What all contracts of stores share: a store and a relay's access for each test, and a check of
 * the tables after it. A database joins a contract by extending it.
 *
 * @since 0.1
 */
public abstract class StoreContract {
  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration MOMENT = Duration.ofMillis(1);
  static final long[] NONE_KNOWN = {};

  private StoreUnderTest database;
  private RelayStore relay;
  private int partitions;

  /** A store with empty tables; called before each test. */
  protected abstract StoreUnderTest open();

  @BeforeEach
  final void openStore() {
    database = open();
    partitions = database.store().open();
    relay = database.store().relay(LEASE);
  }

  @AfterEach
  final void checkTablesAndClose() {
    try (StoreUnderTest ending = database) {
      relay.close();
      TableInvariants.check(ending.rows());
    }
  }

  final StoreUnderTest database() {
    return database;
  }

  final RelayStore relay() {
    return relay;
  }

  final StoredRows rows() {
    return database.rows();
  }

  final int partitions() {
    return partitions;
  }

  final void advance(Duration by) {
    database.clock().advance(by);
  }

  final RelayIdentity join(String id) {
    return relay.join(id, Map.of("mailer", Set.of("order-placed")));
  }

  /** A relay that was expelled because it was silent for too long. */
  final RelayIdentity expelled() {
    RelayIdentity silent = join("silent");
    advance(LEASE.plus(MOMENT));
    expelStale();
    return silent;
  }

  /** Expels those whose lease has ended, as a relay would that is none of them. */
  final List<RelayIdentity> expelStale() {
    return relay.expelStale(new RelayIdentity("bystander", 0));
  }

  /** Commits messages and returns their rows, in the order given. */
  final List<StoredMessage> append(List<NewMessage> messages) {
    database.inTransaction(transaction -> database.store().append(transaction, messages));
    Map<UUID, StoredMessage> byId =
        readAll(messages.stream().map(NewMessage::partition).distinct()).stream()
            .collect(Collectors.toMap(row -> row.envelope().id(), Function.identity()));
    return messages.stream().map(message -> required(byId, message)).toList();
  }

  private static StoredMessage required(Map<UUID, StoredMessage> byId, NewMessage message) {
    StoredMessage row = byId.get(message.envelope().id());
    if (row == null) {
      throw new AssertionError("not found after the commit: " + message);
    }
    return row;
  }

  final StoredMessage append(NewMessage message) {
    return append(List.of(message)).get(0);
  }

  final List<StoredMessage> readAll() {
    return readAll(IntStream.range(0, partitions).boxed());
  }

  private List<StoredMessage> readAll(Stream<Integer> wanted) {
    List<Slice> slices =
        wanted.map(partition -> new Slice(partition, 0, Integer.MAX_VALUE)).toList();
    return relay.read(request(slices, NONE_KNOWN)).rows().stream()
        .sorted(Comparator.comparingLong(StoredMessage::seq))
        .toList();
  }

  static ReadRequest request(List<Slice> slices, long... known) {
    return new ReadRequest(
        slices,
        known,
        ReadRequest.Lanes.NONE,
        Integer.MAX_VALUE,
        Long.MAX_VALUE,
        ReadRequest.Ask.NOTHING);
  }

  /** The rows of a lane in seq order, without payload and headers. */
  final List<DeferredMessage> lane(LaneId lane) {
    return relay
        .readHandler(lane.handler(), List.of(new Slice(lane.partition(), Long.MIN_VALUE, 10_000)))
        .stream()
        .filter(DeferredMessage::inLane)
        .filter(row -> lane.key().equals(row.message().envelope().key()))
        .toList();
  }

  /** Rows that are due and stand behind no other. */
  final List<DeferredMessage> due(
      Collection<Integer> partitions, Collection<String> handlers, int limit) {
    List<DueRequest.Heads> slices =
        partitions.stream()
            .flatMap(
                partition ->
                    handlers.stream()
                        .map(handler -> new DueRequest.Heads(partition, handler, limit)))
            .toList();
    return relay.readDue(new DueRequest(slices, List.of(), 1, limit, Long.MAX_VALUE)).rows();
  }

  /** Lanes whose first row is due. */
  final List<LaneId> dueLanes(
      Collection<Integer> partitions, Collection<String> handlers, int limit) {
    return due(partitions, handlers, limit).stream()
        .filter(DeferredMessage::inLane)
        .map(StoreContract::laneOf)
        .toList();
  }

  private static LaneId laneOf(DeferredMessage row) {
    String key = requireNonNull(row.message().envelope().key(), "rows of lanes have a key");
    return new LaneId(row.message().partition(), row.handler(), key);
  }

  /** The present on the store's clock, as a row tells it that is then deleted. */
  final Instant storeNow() {
    StoredMessage probe = append(Messages.keyless(partitions - 1));
    settleReady(join("probe"), probe);
    return probe.createdAt();
  }

  /** Settles a ready row: delivered, but for the leftovers. */
  final boolean settleReady(RelayIdentity me, StoredMessage row, Settlement.Leftover... leftovers) {
    return relay.settle(me, new Settlement(List.of(left(row, leftovers)), List.of()));
  }

  final boolean settleDeferred(RelayIdentity me, StoredMessage row, String handler, Fate fate) {
    return relay.settle(me, new Settlement(List.of(), List.of(changed(row, handler, fate))));
  }

  /** Commits a message and defers it for one handler. */
  final StoredMessage defer(RelayIdentity me, NewMessage message, String handler, Fate fate) {
    StoredMessage row = append(message);
    settleReady(me, row, new Settlement.Leftover(handler, fate));
    return row;
  }

  static Settlement.Ready left(StoredMessage row, Settlement.Leftover... leftovers) {
    return left(row, List.of(leftovers), List.of());
  }

  static Settlement.Ready left(
      StoredMessage row, List<Settlement.Leftover> leftovers, List<String> kept) {
    return new Settlement.Ready(
        row.partition(),
        row.seq(),
        row.envelope().id(),
        row.envelope().key(),
        row.place(),
        leftovers,
        kept);
  }

  static Settlement.Deferred changed(StoredMessage row, String handler, Fate fate) {
    return new Settlement.Deferred(
        row.partition(), row.seq(), row.envelope().id(), row.envelope().key(), handler, fate);
  }

  static Settlement.Leftover deadFor(String handler) {
    return new Settlement.Leftover(handler, new Fate.Dead(1, "refused"));
  }

  static Fate retrying(int attempts, Duration dueIn, String error) {
    return new Fate.Deferred(DeferReason.RETRYING, attempts, dueIn, error);
  }

  static Fate held() {
    return new Fate.Deferred(DeferReason.HELD, 0, null, null);
  }

  static Fate waiting(@Nullable Duration dueIn) {
    return new Fate.Deferred(DeferReason.WAITING, 0, dueIn, null);
  }

  static Fate passed(Duration dueIn) {
    return new Fate.Deferred(DeferReason.RETRYING, 1, dueIn, "busy", true);
  }
}
