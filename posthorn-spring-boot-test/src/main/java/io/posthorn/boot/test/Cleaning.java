/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import io.posthorn.Admin;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.Entry;
import io.posthorn.Posthorn;
import io.posthorn.RelayStatus;
import io.posthorn.boot.PosthornFactory.Made;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.FleetSurvey.Gone;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import java.time.Duration;
import java.util.List;

/** Brings an outbox back to where nothing was ever published. */
final class Cleaning {
  private static final int AT_ONCE = 1_000;
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final Posthorn posthorn;
  private final MessageStore store;
  private final Stepping stepping;

  Cleaning(Made made, Stepping stepping) {
    this.posthorn = made.posthorn();
    this.store = made.store();
    this.stepping = stepping;
  }

  void run() {
    Admin admin = posthorn.admin();
    admin.fleet().pauses().forEach(pause -> resume(admin, pause));
    // Of contexts that were closed: else messages would be kept for them.
    goneHandlers().forEach(admin.fleet()::forgetHandler);
    for (int deleted = AT_ONCE; deleted > 0; ) {
      deleted = store.purgeReady(Duration.ZERO, AT_ONCE);
    }
    List<DeferredEntry> deferred = Lists.deferred(admin);
    admin.deferred().cancel(deferred.stream().map(Entry::id).toList());
    deferred.stream()
        .filter(entry -> entry.reason() == DeferReason.BLOCKED)
        .forEach(entry -> unblock(admin, entry));
    admin.deadLetters().delete(Lists.deadLetters(admin).stream().map(Entry::id).toList());
    if (posthorn.status().map(RelayStatus::inMemory).orElse(0) > 0) {
      forget();
    }
    stepping.notes().clear();
  }

  private List<String> goneHandlers() {
    try (RelayStore access = store.relay(LEASE)) {
      return access.survey().gone().stream().map(Gone::handler).distinct().toList();
    }
  }

  private static void unblock(Admin admin, DeferredEntry marker) {
    String key = marker.key();
    if (key != null) {
      admin.lanes().unblock(marker.handler(), key);
    }
  }

  private static void resume(Admin admin, Pause pause) {
    switch (pause.kind()) {
      case HANDLER -> admin.fleet().resumeHandler(pause.name());
      case PARTITION -> admin.fleet().resumePartition(Integer.parseInt(pause.name()));
    }
  }

  /** Ends the relay's life, and with it all that waits in its memory; it begins another. */
  private void forget() {
    RelayIdentity relay = stepping.notes().relay();
    if (relay == null) {
      return;
    }
    try (RelayStore access = store.relay(LEASE)) {
      access.leave(relay);
    }
    // So that it looks whether it is still there.
    stepping.advance(LEASE);
    stepping.renewLease();
  }
}
