/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.read;

import io.posthorn.internal.memory.ReadyIntake;
import io.posthorn.internal.policy.Fleet;
import io.posthorn.internal.policy.Handlers;
import io.posthorn.internal.policy.Unreadable;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.Settlement.Leftover;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Says who gets a ready row: handlers of this relay, handlers that only other instances have, or
 * nobody. Asks the user's code, so it is never called within a lock. Reader thread only.
 */
final class ReadyRouting {
  private static final Fate WAITING = new Fate.Deferred(DeferReason.WAITING, 0, null, null);

  private final Handlers handlers;
  private final Unreadable unreadable;
  private final Supplier<Fleet> fleet;

  ReadyRouting(Handlers handlers, Unreadable unreadable, Supplier<Fleet> fleet) {
    this.handlers = handlers;
    this.unreadable = unreadable;
    this.fleet = fleet;
  }

  List<ReadyIntake.Routed> route(List<StoredMessage> rows) {
    List<ReadyIntake.Routed> routed = new ArrayList<>(rows.size());
    Fleet now = fleet.get();
    for (StoredMessage row : rows) {
      routed.add(route(row, now));
    }
    return routed;
  }

  private ReadyIntake.Routed route(StoredMessage row, Fleet now) {
    StoredMessage message = handlers.today(row);
    Handlers.Takers takers = handlers.takersOf(message.envelope());
    Fleet.Elsewhere elsewhere = now.elsewhere(row.envelope().type(), message.envelope().type());
    if (!takers.none() && elsewhere.isEmpty()) {
      return new ReadyIntake.Routed(message, takers.places(), takers.failed());
    }
    List<Leftover> others = new ArrayList<>(takers.failed());
    if (!takers.none() || !elsewhere.typed().isEmpty()) {
      elsewhere.typed().forEach(handler -> others.add(new Leftover(handler, WAITING)));
      elsewhere.generic().forEach(handler -> others.add(new Leftover(handler, WAITING)));
      elsewhere.gone().forEach(handler -> others.add(new Leftover(handler, WAITING)));
    } else {
      Fate fate = ofNobody(message.envelope(), elsewhere);
      if (!(fate instanceof Fate.Delivered)) {
        others.add(new Leftover(DeferredMessage.UNDECIDED, fate));
      }
    }
    return new ReadyIntake.Routed(message, takers.places(), others);
  }

  private Fate ofNobody(Envelope envelope, Fleet.Elsewhere elsewhere) {
    return elsewhere.none()
        ? unreadable.unknownType(envelope, 0, Duration.ZERO)
        : Unreadable.perhapsElsewhere(0);
  }
}
