/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.HandlerSpec;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Says of a deferred row whether the handler of its name takes it here. Instances of different
 * versions know a handler by one name but perhaps with other types, and whoever has not a handler
 * writes rows for it without asking it. Reader thread only.
 */
final class DeferredRouting {
  /** It is left as it is, with its lane, for another live instance; to be looked at again. */
  static final Fate LEAVE = new Fate.Deferred(DeferReason.WAITING, 0, UnknownTypes.RECHECK, null);

  /** More types that nobody takes than this are not remembered. */
  private static final int MOST_MISSED = 1_000;

  private record Missed(String handler, String type) {}

  private final Workload workload;
  private final Aliases aliases;
  private final UnknownTypes unknown;
  private final Map<Missed, Long> missedSince = new LinkedHashMap<>();

  DeferredRouting(Workload workload, Aliases aliases, UnknownTypes unknown) {
    this.workload = workload;
    this.aliases = aliases;
    this.unknown = unknown;
  }

  /** Null: it is to be delivered here. */
  @Nullable Fate insteadOfDelivery(HandlerSpec<?> spec, DeferredMessage row) {
    Envelope envelope = aliases.today(row.message().envelope());
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
    if (workload.fleet.elsewhere(storedType, envelope.type()).has(row.handler())) {
      missedSince.remove(missed);
      return LEAVE;
    }
    Duration waited = waited(missed);
    return waited.compareTo(UnknownTypes.RECHECK) < 0
        ? LEAVE
        : outOfLane(unknown.fate(envelope, row.attempts(), waited));
  }

  /** Rows do not tell since when nobody takes them; a restart begins anew, which loses nothing. */
  private Duration waited(Missed missed) {
    long now = workload.ticker.nanos();
    if (missedSince.size() >= MOST_MISSED && !missedSince.containsKey(missed)) {
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
