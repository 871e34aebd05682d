/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.Posthorn;
import io.posthorn.RelayOptions;
import io.posthorn.spi.Ticker;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Watches over the health of each outbox. Safe to share between threads. */
final class HealthCompanion implements OutboxCompanion {
  private final PosthornProperties properties;
  private final Ticker ticker;
  private final Map<String, RelayOptions> joined = new ConcurrentHashMap<>();
  private final Map<Posthorn, Watched> watched = new ConcurrentHashMap<>();

  private record Watched(String name, OutboxHealth health) {}

  /**
   * What was found of all outboxes.
   *
   * @param up null if there is none
   * @param details by the outbox's name
   */
  record Findings(@Nullable Boolean up, Map<String, Map<String, Object>> details) {}

  HealthCompanion(PosthornProperties properties, Ticker ticker) {
    this.properties = properties;
    this.ticker = ticker;
  }

  Findings findings() {
    Map<String, Map<String, Object>> details = new TreeMap<>();
    Boolean up = null;
    for (Watched outbox : watched.values()) {
      OutboxHealth.Verdict verdict = outbox.health.verdict();
      details.put(outbox.name, verdict.details());
      up = verdict.up() && (up == null || up);
    }
    return new Findings(up, details);
  }

  @Override
  public void join(String name, Posthorn.Builder builder) {
    // Only kept here: others may still change them.
    builder.relay(options -> joined.put(name, options));
  }

  @Override
  public void built(String name, Posthorn posthorn) {
    RelayOptions relay = joined.remove(name);
    if (relay != null) {
      OutboxHealth.Limits limits =
          new OutboxHealth.Limits(
              properties.publishOnly(),
              properties.health().maxAge(),
              relay.leaseDuration(),
              relay.startupDelay());
      watched.put(posthorn, new Watched(name, new OutboxHealth(posthorn, limits, ticker)));
    }
  }

  @Override
  public void started(Posthorn posthorn) {
    Watched outbox = watched.get(posthorn);
    if (outbox != null) {
      outbox.health.started();
    }
  }

  @Override
  public void stopping(Posthorn posthorn) {
    Watched outbox = watched.get(posthorn);
    if (outbox != null) {
      outbox.health.stopping();
    }
  }
}
