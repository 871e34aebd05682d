/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptions;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The handlers of a relay, typed ones first. Immutable, but for what the queues hold. */
public final class Handlers {
  private final List<HandlerQueue> queues = new ArrayList<>();
  private final Aliases aliases;

  /**
   * @param options for what the handlers do not say themselves
   */
  public Handlers(
      Collection<HandlerSpec<?>> specs, RelayOptions options, Aliases aliases, Ticker ticker) {
    this.aliases = aliases;
    for (boolean generic : new boolean[] {false, true}) {
      for (HandlerSpec<?> spec : specs) {
        if (spec.types().isEmpty() == generic) {
          queues.add(queue(spec, options, ticker.nanos()));
        }
      }
    }
  }

  private static HandlerQueue queue(HandlerSpec<?> spec, RelayOptions options, long now) {
    return new HandlerQueue(
        spec,
        spec.concurrency().orElse(options.workers()),
        new Circuit(options.probeInterval().toNanos()),
        spec.rateLimit().map(limit -> new RateGate(limit, now)).orElse(null));
  }

  List<HandlerQueue> queues() {
    return queues;
  }

  /** The older names of types. */
  Aliases aliases() {
    return aliases;
  }

  /** Who takes a message, and who failed to say so. */
  record Takers(List<HandlerQueue> queues, Map<String, Throwable> failed) {
    boolean none() {
      return queues.isEmpty() && failed.isEmpty();
    }
  }

  /**
   * @param envelope with the type as it is delivered
   */
  Takers takersOf(Envelope envelope) {
    List<HandlerQueue> takers = new ArrayList<>(1);
    Map<String, Throwable> failed = Map.of();
    for (HandlerQueue queue : queues) {
      try {
        if (queue.spec.takes(envelope)) {
          takers.add(queue);
        }
      } catch (RuntimeException | Error e) { // the user's test
        failed = failed.isEmpty() ? new LinkedHashMap<>() : failed;
        failed.put(queue.name(), e);
      }
    }
    return new Takers(takers, failed);
  }

  /** Whether some handler takes this message, or would have a dead letter of it. */
  public boolean take(Envelope envelope) {
    return !takersOf(aliases.today(envelope)).none();
  }

  /** The fate of a message for a handler whose test failed. */
  static Fate untestable(Throwable cause) {
    return new Fate.Dead(
        0, "the handler failed to say whether it takes this message: " + ErrorText.of(cause));
  }

  /** The types of each handler, older names included, by its name, as other instances are told. */
  public Map<String, Set<String>> typesByName() {
    Map<String, Set<String>> types = new LinkedHashMap<>();
    queues.forEach(queue -> types.put(queue.name(), aliases.withOlder(queue.spec.types())));
    return types;
  }
}
