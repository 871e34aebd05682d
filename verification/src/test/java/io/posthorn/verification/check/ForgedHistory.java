/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.history.History;
import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receipt;
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
  static final String HANDLER = "bill";
  static final int WORKERS = 2;
  static final int WINDOW = 3;
  static final int ATTEMPTS = 3;
  static final Map<Fault.Kind, Long> WAITS = Map.of(Fault.Kind.KILL, 5_000L);

  private final Map<UUID, Truth.Committed> committed = new HashMap<>();
  private final List<Receipt> receipts = new ArrayList<>();
  private final Map<String, Set<UUID>> dead = new HashMap<>();
  private final Map<String, Long> leftovers = new HashMap<>();
  private final List<String> intrusions = new ArrayList<>();
  private final List<Fault> faults = new ArrayList<>();
  private long millis = 1_000_000;
  private String life = "a#1";
  private long epoch = 1;

  UUID commit(@Nullable String key, long number) {
    return commit(key, number, Nature.PLAIN);
  }

  UUID commit(@Nullable String key, long number, Nature nature) {
    UUID id = UUID.randomUUID();
    committed.put(id, new Truth.Committed(new Sent(id, key, number, nature), ++millis));
    return id;
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

  private ForgedHistory note(Receipt.Kind kind, UUID id, int attempt) {
    receipts.add(new Receipt(kind, life, HANDLER, 0, epoch, attempt, id, ++millis));
    return this;
  }

  ForgedHistory die(UUID id) {
    dead.computeIfAbsent(HANDLER, any -> new HashSet<>()).add(id);
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
            new Truth(committed, 0, List.of()),
            receipts,
            new History.Rows(dead, leftovers, intrusions));
    return new Checker(
            new Checker.Bounds(Set.of(HANDLER), WORKERS, WINDOW, ATTEMPTS, WAITS), history, faults)
        .judge();
  }
}
