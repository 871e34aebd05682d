/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.read;

import io.posthorn.HandlerSpec;
import io.posthorn.RetryPolicy;
import io.posthorn.internal.memory.DueIntake;
import io.posthorn.internal.policy.Fleet;
import io.posthorn.internal.policy.Handlers;
import io.posthorn.internal.policy.Unreadable;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says what is to be done with a deferred row that is due: most are delivered. During a rolling
 * deployment a handler may take a type in another version only, and instances that do not have a
 * generic handler write rows for it without asking it. Rows that nobody takes here are due again
 * when the policy says so, or when {@link UnclaimedRows} finds that something has changed. Asks the
 * user's code, so it is never called within a lock. Reader thread only.
 */
final class DeferredRouting {
  private final Handlers handlers;
  private final Map<String, HandlerSpec<?>> specs = new HashMap<>();
  private final Unreadable unreadable;
  private final Supplier<Fleet> fleet;
  private final UnclaimedRows unclaimed;

  DeferredRouting(
      Handlers handlers, Unreadable unreadable, Supplier<Fleet> fleet, UnclaimedRows unclaimed) {
    this.handlers = handlers;
    this.unreadable = unreadable;
    this.fleet = fleet;
    this.unclaimed = unclaimed;
    handlers.specs().forEach(spec -> specs.put(spec.name(), spec));
  }

  List<DueIntake.Routed> route(List<DeferredMessage> rows) {
    List<DueIntake.Routed> routed = new ArrayList<>(rows.size());
    for (DeferredMessage row : rows) {
      HandlerSpec<?> spec = specs.get(row.handler());
      Fate instead = row.reason() == DeferReason.SETTLED ? Fate.DELIVERED : insteadOf(spec, row);
      routed.add(new DueIntake.Routed(handlers.today(row), instead));
    }
    return routed;
  }

  private @Nullable Fate insteadOf(@Nullable HandlerSpec<?> spec, DeferredMessage row) {
    return spec == null ? ofUndecided(row) : insteadOfDelivery(spec, row);
  }

  /** Who is taken by somebody is read afresh; who by nobody waits as the policy says. */
  private Fate ofUndecided(DeferredMessage row) {
    if (row.reason() == DeferReason.DELAYED) {
      return new Fate.Ready();
    }
    Envelope envelope = row.message().envelope();
    Envelope today = handlers.today(envelope);
    Fleet.Elsewhere elsewhere = fleet.get().elsewhere(envelope.type(), today.type());
    if (handlers.take(envelope) || !elsewhere.typed().isEmpty()) {
      return new Fate.Ready();
    }
    return elsewhere.none() ? ofNobody(row, today) : Unreadable.perhapsElsewhere(row.attempts());
  }

  private Fate ofNobody(DeferredMessage row, Envelope today) {
    boolean waits = row.reason() == DeferReason.UNCLAIMED;
    return unreadable.unknownType(today, row.attempts(), waits ? row.waited() : Duration.ZERO);
  }

  /** Null: it is to be delivered here. */
  private @Nullable Fate insteadOfDelivery(HandlerSpec<?> spec, DeferredMessage row) {
    Envelope envelope = handlers.today(row.message().envelope());
    if (!spec.types().isEmpty() && !spec.types().contains(envelope.type())) {
      return ofOtherType(row, envelope);
    }
    boolean neverAsked =
        row.attempts() == 0 && (row.reason() == DeferReason.WAITING || row.reason().isUnclaimed());
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
   * and for a while after that, the lane waits for it. Then it goes on, and the policy decides.
   */
  private Fate ofOtherType(DeferredMessage row, Envelope today) {
    String stored = row.message().envelope().type();
    boolean elsewhere = fleet.get().elsewhere(stored, today.type()).has(row.handler());
    boolean missed = !elsewhere && unclaimed.isMissed(row.handler(), today.type());
    boolean givenUp = missed ? row.reason().isUnclaimed() : row.reason() == DeferReason.UNCLAIMED;
    if (givenUp && !elsewhere) {
      return outOfLane(ofNobody(row, today));
    }
    Duration dueIn = missed ? Duration.ZERO : RetryPolicy.LONGEST_DELAY;
    return new Fate.Deferred(
        DeferReason.ELSEWHERE, row.attempts(), dueIn, row.lastError(), missed || !row.inLane());
  }

  private static Fate outOfLane(Fate fate) {
    return fate instanceof Fate.Deferred waits
        ? new Fate.Deferred(waits.reason(), waits.attempts(), waits.dueIn(), waits.error(), true)
        : fate;
  }
}
