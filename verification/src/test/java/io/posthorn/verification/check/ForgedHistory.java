/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.history.Effect;
import io.posthorn.verification.history.History;
import io.posthorn.verification.history.Intervention;
import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.history.Sent;
import io.posthorn.verification.history.Truth;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A history that somebody made up, one millisecond for each thing that happens. */
final class ForgedHistory {
  static final int WORKERS = 2;
  static final int WINDOW = 3;
  static final Map<Fault.Kind, Long> WAITS = Map.of(Fault.Kind.KILL, 5_000L);

  private final Map<UUID, Truth.Committed> committed = new HashMap<>();
  private final List<Receipt> receipts = new ArrayList<>();
  private final Map<String, Set<UUID>> dead = new HashMap<>();
  private final List<Effect> effects = new ArrayList<>();
  private final List<Effect> consumed = new ArrayList<>();
  private final Set<String> consumers = new HashSet<>();
  private final List<Intervention> interventions = new ArrayList<>();
  private final Set<UUID> taken = new HashSet<>();
  private final Map<UUID, Truth.Missing> missing = new HashMap<>();
  private final Map<String, Long> leftovers = new HashMap<>();
  private final List<String> intrusions = new ArrayList<>();
  private final List<Fault> faults = new ArrayList<>();
  private long millis = 1_000_000;
  private String life = "a#1";
  private long epoch = 1;
  private Receiver receiver = Receiver.BILL;

  UUID commit(@Nullable String key, long number) {
    return commit(key, number, Nature.PLAIN);
  }

  UUID commit(@Nullable String key, long number, Nature nature) {
    return commit(key, number, nature, Sent.Timing.ANY, null);
  }

  UUID commit(@Nullable String key, long number, Sent.Timing timing) {
    return commit(key, number, Nature.PLAIN, timing, null);
  }

  UUID commitOnce(String idempotencyKey) {
    return commit(null, 0, Nature.PLAIN, Sent.Timing.ANY, idempotencyKey);
  }

  private UUID commit(
      @Nullable String key,
      long number,
      Nature nature,
      Sent.Timing timing,
      @Nullable String idempotencyKey) {
    UUID id = UUID.randomUUID();
    String type = receiver.types().iterator().next();
    Sent sent = new Sent(id, type, key, number, nature, timing, idempotencyKey);
    committed.put(id, new Truth.Committed(sent, ++millis));
    return id;
  }

  long now() {
    return millis;
  }

  /** There is one handler only: this one, from the beginning. */
  ForgedHistory at(Receiver only) {
    receiver = only;
    return this;
  }

  /** An operator did this to one message, or to a lane; it is over. */
  ForgedHistory operate(Intervention.Kind kind, Intervention.Target target) {
    interventions.add(new Intervention(kind, "a#1", target, ++millis, ++millis, "done"));
    return this;
  }

  ForgedHistory operate(Intervention.Kind kind, UUID id) {
    return operate(kind, Intervention.Target.message(receiver.label(), id));
  }

  /** Somebody was told that this one was published before. */
  ForgedHistory take(UUID id) {
    taken.add(id);
    return this;
  }

  /** A row that the handler has written. */
  ForgedHistory effect(UUID id) {
    effects.add(new Effect(effects.size(), receiver.label(), id));
    return this;
  }

  /** There is a broker with such a consumer. */
  ForgedHistory consumer(String name) {
    consumers.add(name);
    return this;
  }

  /** A row that such a consumer has written. */
  ForgedHistory consume(String name, UUID id) {
    consumed.add(new Effect(consumed.size(), name, id));
    return this;
  }

  /** Who receives from now on. */
  ForgedHistory owner(String nextLife, long nextEpoch) {
    life = nextLife;
    epoch = nextEpoch;
    return this;
  }

  ForgedHistory start(UUID id) {
    return note(Receipt.Kind.STARTED, id, 1);
  }

  ForgedHistory done(UUID id) {
    return note(Receipt.Kind.DONE, id, 1);
  }

  ForgedHistory deliver(UUID id) {
    return start(id).done(id);
  }

  ForgedHistory fail(UUID id, int attempt) {
    return note(Receipt.Kind.STARTED, id, attempt).note(Receipt.Kind.FAILED, id, attempt);
  }

  ForgedHistory start(UUID id, int attempt) {
    return note(Receipt.Kind.STARTED, id, attempt);
  }

  ForgedHistory note(Receipt.Kind kind, UUID id, int attempt) {
    receipts.add(new Receipt(kind, life, receiver.label(), 0, epoch, attempt, id, ++millis));
    return this;
  }

  ForgedHistory die(UUID id) {
    dead.computeIfAbsent(receiver.label(), any -> new HashSet<>()).add(id);
    return this;
  }

  ForgedHistory leave(String table, long rows) {
    leftovers.put(table, rows);
    return this;
  }

  ForgedHistory intrude(String what) {
    intrusions.add(what);
    return this;
  }

  /** Its publisher knows that it was committed; the database does not. */
  UUID forget(String key) {
    return forget(key, true);
  }

  /**
   * The same.
   *
   * @param confirmed whether its publisher was told that it was committed
   */
  UUID forget(String key, boolean confirmed) {
    UUID id = UUID.randomUUID();
    Sent sent = new Sent(id, Receiver.ORDER, key, 1, Nature.PLAIN, Sent.Timing.ANY, null);
    missing.put(id, new Truth.Missing(sent, ++millis, confirmed));
    return id;
  }

  ForgedHistory pass(long time) {
    millis += time;
    return this;
  }

  /** It took a while and is over now. */
  ForgedHistory fault(Fault.Kind kind, @Nullable String of) {
    faults.add(new Fault(kind, of, millis - 1, ++millis));
    return this;
  }

  Verdict judge() {
    History history =
        new History(
            new Truth(committed, 0, List.of(), taken, missing),
            receipts,
            interventions,
            new History.Rows(dead, leftovers, intrusions, effects, consumed));
    return new Checker(
            new Bounds(Set.of(receiver), consumers, WORKERS, WINDOW, WAITS), history, faults)
        .judge();
  }
}
