/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static java.util.Objects.requireNonNull;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptions;
import io.posthorn.RelayOptionsFixture;
import io.posthorn.RelayStatus;
import io.posthorn.RelayStatus.Program;
import io.posthorn.RelayStatus.Throughput;
import io.posthorn.internal.memory.ReadyIntake.Accepted;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore.DueResult;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A relay's memory, of which the test plays the tables, the workers and the clock. */
public final class MemoryScene {
  public static final RelayIdentity ME = new RelayIdentity("a", 1);
  public static final String TYPE = "order";
  public static final Fate RETRY =
      new Fate.Deferred(DeferReason.RETRYING, 1, Duration.ofSeconds(5), "it was down");

  /** What the duties hear of. */
  enum Signal {
    OUTCOME,
    WORK,
    DEFERRED_ROWS,
    WORKERS_HELD_BACK,
    BROKEN
  }

  public final RelayMemory memory;
  public long now = Duration.ofDays(3).toNanos(); // tickers begin anywhere
  Runnable whenOutcomeWaits = () -> {};
  private final List<HandlerSpec<?>> specs;
  private final Set<Signal> heard = EnumSet.noneOf(Signal.class);
  private final Map<String, HandlerLanes> handlers = new HashMap<>();

  public MemoryScene(HandlerSpec<?>... specs) {
    this(RelayOptionsFixture.standard(), specs);
  }

  public MemoryScene(RelayOptions options, HandlerSpec<?>... specs) {
    this.specs = List.of(specs);
    this.memory = new RelayMemory(options, () -> now, this.specs, new Ears());
  }

  private final class Ears implements RelayMemory.Signals {
    @Override
    public void outcomeWaits() {
      heard.add(Signal.OUTCOME);
      whenOutcomeWaits.run();
    }

    @Override
    public void workWaits() {
      heard.add(Signal.WORK);
    }

    @Override
    public void deferredRowsChanged() {
      heard.add(Signal.DEFERRED_ROWS);
    }

    @Override
    public void workersHeldBack() {
      heard.add(Signal.WORKERS_HELD_BACK);
    }

    @Override
    public void memoryBroken() {
      heard.add(Signal.BROKEN);
    }
  }

  /** What was heard since this was last asked. */
  Set<Signal> heard() {
    Set<Signal> since = EnumSet.copyOf(heard);
    heard.clear();
    return since;
  }

  public void pass(Duration time) {
    now += time.toNanos();
  }

  // --- handlers

  public static HandlerSpec<String> handler(String name) {
    return HandlerSpec.of(name, TYPE, String.class, (payload, delivery) -> {});
  }

  static HandlerSpec<String> batchHandler(String name, int size) {
    return HandlerSpec.batch(name, TYPE, String.class, size, batch -> {});
  }

  // --- partitions

  /** This relay comes to hold partitions without deferred rows. */
  public MemoryScene hold(int... partitions) {
    for (int partition : partitions) {
      hold(new PartitionOwner(partition, ME, 7, 0, 0));
    }
    return this;
  }

  /** The same, in some life of the relay. */
  public void holdAs(RelayIdentity life, int partition) {
    hold(life, new PartitionOwner(partition, life, 7, 0, 0));
  }

  /** This relay comes to hold a partition that has deferred rows of these handlers. */
  MemoryScene hold(PartitionOwner row, String... deferred) {
    return hold(ME, row, deferred);
  }

  private MemoryScene hold(RelayIdentity life, PartitionOwner row, String... deferred) {
    memory.partitions().hold(life, List.of(row));
    long look = memory.dueIntake().lookBegins();
    memory
        .dueIntake()
        .deferredHandlers(
            memory.dueIntake().partitionsToLoad(), Map.of(row.partition(), Set.of(deferred)), look);
    return this;
  }

  /** Partition 0, with deferred rows of these handlers. */
  MemoryScene holdWithDeferred(String... deferred) {
    return hold(new PartitionOwner(0, ME, 7, 0, 0), deferred);
  }

  /** Partition 0, the owners of which have died at work so many times. */
  MemoryScene holdAfterCrashes(int crashes) {
    return hold(new PartitionOwner(0, ME, 7, crashes, 0));
  }

  HeldPartition held(int partition) {
    return requireNonNull(memory.partitions().find(partition), "held");
  }

  public RelayStatus status() {
    return memory.status(
        new RelayMemory.About(
            "a", new Program("1.2", null, Instant.EPOCH), true, RelayStatus.Counts.NONE),
        any -> Throughput.NONE);
  }

  void pause(String... paused) {
    memory.pauses(
        Stream.of(paused)
            .map(name -> new FleetSurvey.Pause(FleetSurvey.Paused.HANDLER, name, Instant.EPOCH))
            .collect(Collectors.toSet()));
  }

  // --- ready rows

  public static StoredMessage message(long seq, @Nullable String key) {
    return message(0, seq, key, 0);
  }

  public static StoredMessage message(int partition, long seq, @Nullable String key) {
    return message(partition, seq, key, 0);
  }

  static StoredMessage message(int partition, long seq, @Nullable String key, int bytes) {
    return message(partition, seq, key, bytes, null);
  }

  static StoredMessage message(
      int partition, long seq, @Nullable String key, int bytes, @Nullable Duration expiresIn) {
    Envelope envelope =
        new Envelope(
            new UUID(partition, seq),
            TYPE,
            null,
            key,
            null,
            Map.of(),
            "text/plain",
            new byte[bytes],
            Instant.EPOCH,
            null);
    return new StoredMessage(partition, seq, envelope, Instant.EPOCH, expiresIn);
  }

  ReadyIntake.Plan plan() {
    return memory.readyIntake().plan(any -> true).orElseThrow();
  }

  /** A read of all partitions returns these rows, for all handlers. */
  public Accepted read(StoredMessage... rows) {
    return accept(plan(), rows);
  }

  Accepted accept(ReadyIntake.Plan plan, StoredMessage... rows) {
    return accept(plan, ReadResult.ofUnknown(List.of(rows), List.of(), false));
  }

  Accepted accept(ReadyIntake.Plan plan, ReadResult result) {
    return memory
        .readyIntake()
        .accept(plan, result, result.rows().stream().map(this::routed).toList());
  }

  /** Reads of all partitions find nothing, and that no row up to this seq can appear any more. */
  public void readPast(long seq) {
    for (long oldest = 1; oldest <= 2; oldest++) {
      accept(
          plan(),
          new ReadResult(
              List.of(),
              List.of(),
              false,
              ReadResult.Server.UNKNOWN,
              oldest,
              new ReadResult.Mark(seq, 1),
              null));
      pass(Duration.ofSeconds(1));
    }
  }

  /** A row for all handlers that take it, with what is left over for others. */
  ReadyIntake.Routed routed(StoredMessage row, Settlement.Leftover... others) {
    int[] takers =
        IntStream.range(0, specs.size())
            .filter(handler -> specs.get(handler).takes(row.envelope()))
            .toArray();
    return new ReadyIntake.Routed(row, takers, List.of(others));
  }

  /** A read returns this row, with what is left over for others. */
  void readWithLeftover(StoredMessage row, Settlement.Leftover... others) {
    memory
        .readyIntake()
        .accept(
            plan(),
            ReadResult.ofUnknown(List.of(row), List.of(), false),
            List.of(routed(row, others)));
  }

  // --- deferred rows

  /** A row that stands in its lane and is due. */
  static DeferredMessage deferred(long seq, @Nullable String key, String handler) {
    return deferred(message(seq, key), handler, DeferReason.HELD, 0);
  }

  static DeferredMessage deferred(
      StoredMessage message, String handler, DeferReason reason, int attempts) {
    return new DeferredMessage(
        message, handler, true, reason, attempts, null, Duration.ZERO, Duration.ZERO);
  }

  /** A row that others of its key may overtake. */
  static DeferredMessage passed(long seq, @Nullable String key, String handler) {
    return new DeferredMessage(
        message(seq, key),
        handler,
        false,
        DeferReason.RETRYING,
        1,
        null,
        Duration.ZERO,
        Duration.ZERO);
  }

  /** A row that stands in its lane and is not due yet. */
  static DeferredMessage notDue(long seq, @Nullable String key, String handler) {
    return new DeferredMessage(
        message(seq, key),
        handler,
        true,
        DeferReason.RETRYING,
        1,
        null,
        Duration.ofSeconds(3),
        Duration.ZERO);
  }

  DueIntake.Plan planDue() {
    return memory.dueIntake().planDue().orElseThrow();
  }

  /** A read of the deferred table returns these rows; how many of them were new. */
  int readDue(DeferredMessage... rows) {
    return acceptDue(planDue(), false, rows);
  }

  int acceptDue(DueIntake.Plan plan, boolean cut, DeferredMessage... rows) {
    return memory
        .dueIntake()
        .acceptDue(
            plan,
            new DueResult(List.of(rows), cut),
            Stream.of(rows).map(row -> new DueIntake.Routed(row, null)).toList());
  }

  // --- workers

  /** Workers are counted in; the names of their handlers. */
  List<String> claimed() {
    List<HandlerLanes> claimed = memory.dispatcher().claimWorkers();
    claimed.forEach(handler -> handlers.put(handler.name(), handler));
    return claimed.stream().map(HandlerLanes::name).sorted().toList();
  }

  /** One worker of a handler that has something for it. */
  HandlerLanes worker(String name) {
    HandlerLanes found = null;
    for (HandlerLanes claimed : memory.dispatcher().claimWorkers()) {
      if (found == null && claimed.name().equals(name)) {
        found = claimed;
      } else {
        memory.dispatcher().workerNotStarted(claimed);
      }
    }
    return requireNonNull(found, "nothing to do for " + name);
  }

  /** Whether a worker of the handler would find something to do. */
  public boolean hasWork(String name) {
    List<HandlerLanes> claimed = memory.dispatcher().claimWorkers();
    claimed.forEach(memory.dispatcher()::workerNotStarted);
    return claimed.stream().anyMatch(handler -> handler.name().equals(name));
  }

  /** Whether workers of the handler, if any are wanted, find nothing that may be delivered. */
  boolean getsNothing(String name) {
    boolean nothing = true;
    for (HandlerLanes claimed : memory.dispatcher().claimWorkers()) {
      if (claimed.name().equals(name)) {
        nothing &= memory.dispatcher().nextBatch(claimed, null) == null;
      } else {
        memory.dispatcher().workerNotStarted(claimed);
      }
    }
    return nothing;
  }

  /** What a worker of the handler gets. */
  public WorkBatch take(String handler) {
    return requireNonNull(memory.dispatcher().nextBatch(worker(handler), null), "batch");
  }

  /** A worker ends its batch: the entries ended so, those of null were not begun. */
  public void finish(WorkBatch batch, @Nullable Fate... fates) {
    end(batch, fates);
    memory.dispatcher().finish(handlerOf(batch), batch);
  }

  static void end(WorkBatch batch, @Nullable Fate... fates) {
    for (int i = 0; i < fates.length; i++) {
      Fate fate = fates[i];
      if (fate != null) {
        batch.ended(i, fate);
      }
    }
  }

  static HandlerLanes handlerOf(WorkBatch batch) {
    return batch.entry(0).lane().handler();
  }

  /** A worker takes what it gets and delivers it; the seqs in order. */
  public List<Long> deliver(String handler) {
    WorkBatch batch = take(handler);
    finish(batch, Collections.nCopies(batch.size(), Fate.DELIVERED).toArray(new Fate[0]));
    return seqs(batch);
  }

  static List<Long> seqs(WorkBatch batch) {
    return IntStream.range(0, batch.size()).mapToObj(i -> batch.entry(i).seq()).toList();
  }

  // --- outcomes

  public List<PendingSettlement> takeOutcomes() {
    return memory.takeOutcomes(Integer.MAX_VALUE);
  }

  /** All outcomes that wait are stored. */
  Settlement settle() {
    List<PendingSettlement> outcomes = takeOutcomes();
    memory.settled(outcomes);
    return PendingSettlement.together(outcomes);
  }

  /** Outcomes are stored until there are no more. */
  List<Settlement> settleAll() {
    List<Settlement> all = new ArrayList<>();
    for (Settlement next = settle(); next.size() > 0; next = settle()) {
      all.add(next);
    }
    return all;
  }

  /** The ready rows of an outcome, with what is left over of each: {@code 3 mailer=HELD}. */
  public static List<String> ready(Settlement settlement) {
    return settlement.ready().stream()
        .map(
            row ->
                row.seq()
                    + row.leftovers().stream()
                        .map(left -> " " + left.handler() + "=" + text(left.fate()))
                        .sorted()
                        .collect(Collectors.joining()))
        .toList();
  }

  /** The deferred rows of an outcome: {@code 3 mailer=HELD}. */
  public static List<String> deferred(Settlement settlement) {
    return settlement.deferred().stream()
        .map(row -> row.seq() + " " + row.handler() + "=" + text(row.fate()))
        .toList();
  }

  private static String text(Fate fate) {
    if (fate instanceof Fate.Deferred deferred) {
      return deferred.reason() + (deferred.passed() ? " passed" : "");
    }
    return fate.getClass().getSimpleName();
  }
}
