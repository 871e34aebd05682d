/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.read;

import io.posthorn.HandlerSpec;
import io.posthorn.internal.memory.DueIntake;
import io.posthorn.internal.policy.Fleet;
import io.posthorn.internal.policy.Handlers;
import io.posthorn.internal.policy.UnknownTypes;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says what is to be done with a deferred row: most are delivered. During a rolling deployment a
 * handler may take a type in another version only, and instances that do not have a generic handler
 * write rows for it without asking it. Asks the user's code, so it is never called within a lock.
 * Reader thread only.
 */
final class DeferredRouting {
  /** More types that nobody takes than this are not remembered. */
  private static final int MAX_MISSED = 1_000;

  private record Missed(String handler, String type) {}

  private final Handlers handlers;
  private final Map<String, HandlerSpec<?>> specs = new HashMap<>();
  private final UnknownTypes unknown;
  private final Supplier<Fleet> fleet;
  private final Ticker ticker;
  private final Map<Missed, Long> missedSince = new LinkedHashMap<>();

  DeferredRouting(Handlers handlers, UnknownTypes unknown, Supplier<Fleet> fleet, Ticker ticker) {
    this.handlers = handlers;
    this.unknown = unknown;
    this.fleet = fleet;
    this.ticker = ticker;
    handlers.specs().forEach(spec -> specs.put(spec.name(), spec));
  }

  List<DueIntake.Routed> route(List<DeferredMessage> rows) {
    List<DueIntake.Routed> routed = new ArrayList<>(rows.size());
    for (DeferredMessage row : rows) {
      HandlerSpec<?> spec = specs.get(row.handler());
      Fate instead = spec == null ? ofUndecided(row) : insteadOfDelivery(spec, row);
      routed.add(new DueIntake.Routed(handlers.today(row), instead));
    }
    return routed;
  }

  /** Who may be taken by somebody is read afresh; who by nobody waits as the policy says. */
  private Fate ofUndecided(DeferredMessage row) {
    if (row.reason() == DeferReason.DELAYED) {
      return new Fate.Ready();
    }
    Envelope envelope = row.message().envelope();
    Envelope today = handlers.today(envelope);
    boolean known =
        handlers.take(envelope) || !fleet.get().elsewhere(envelope.type(), today.type()).none();
    return known ? new Fate.Ready() : unknown.fate(today, row.attempts(), row.waited());
  }

  /** Null: it is to be delivered here. */
  private @Nullable Fate insteadOfDelivery(HandlerSpec<?> spec, DeferredMessage row) {
    Envelope envelope = handlers.today(row.message().envelope());
    if (!spec.types().isEmpty() && !spec.types().contains(envelope.type())) {
      return ofOtherType(row, envelope);
    }
    boolean neverAsked = row.reason() == DeferReason.WAITING && row.attempts() == 0;
    return neverAsked ? unlessWanted(spec, envelope) : null;
  }

  private static @Nullable Fate unlessWanted(HandlerSpec<?> spec, Envelope envelope) {
    try {
      return spec.takes(envelope) ? null : Fate.DELIVERED;
    } catch (RuntimeException | Error e) { // the user's test
      return Handlers.untestable(e);
    }
  }

  /**
   * The handler takes this type in another version only. While an instance of that version lives,
   * the lane waits for it. If there is none, the lane waits for one look more, then it goes on and
   * the policy decides.
   */
  private Fate ofOtherType(DeferredMessage row, Envelope envelope) {
    Missed missed = new Missed(row.handler(), envelope.type());
    String storedType = row.message().envelope().type();
    if (fleet.get().elsewhere(storedType, envelope.type()).has(row.handler())) {
      missedSince.remove(missed);
      return lookAgain(row);
    }
    Duration waited = waited(missed);
    return waited.compareTo(UnknownTypes.RECHECK) < 0
        ? lookAgain(row)
        : outOfLane(unknown.fate(envelope, row.attempts(), waited));
  }

  /** The same as it is now, with its lane, but for the time. */
  private static Fate lookAgain(DeferredMessage row) {
    return new Fate.Deferred(
        row.reason(), row.attempts(), UnknownTypes.RECHECK, row.lastError(), !row.inLane());
  }

  /** Rows do not tell since when nobody takes them; a restart begins anew, which loses nothing. */
  private Duration waited(Missed missed) {
    long now = ticker.nanos();
    if (missedSince.size() >= MAX_MISSED && !missedSince.containsKey(missed)) {
      missedSince.remove(missedSince.keySet().iterator().next());
    }
    return Duration.ofNanos(now - missedSince.computeIfAbsent(missed, any -> now));
  }

  private static Fate outOfLane(Fate fate) {
    return fate instanceof Fate.Deferred waits
        ? new Fate.Deferred(waits.reason(), waits.attempts(), waits.dueIn(), waits.error(), true)
        : fate;
  }
}
