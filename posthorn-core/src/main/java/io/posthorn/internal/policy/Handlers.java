/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.policy;

import io.posthorn.HandlerSpec;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The handlers of a relay, typed ones first. Immutable. */
public final class Handlers {
  private static final Takers NOBODY = new Takers(new int[0], List.of());
  private static final Duration ASKED_AGAIN_AFTER = Duration.ofSeconds(1);

  private final List<HandlerSpec<?>> specs = new ArrayList<>();
  private final List<Takers> alone = new ArrayList<>(); // by place: what most messages have
  private final Aliases aliases;

  /**
   * @param aliases the newer name of each older name of a type; without circles
   */
  public Handlers(Collection<HandlerSpec<?>> all, Map<String, String> aliases) {
    this.aliases = new Aliases(aliases);
    for (boolean generic : new boolean[] {false, true}) {
      for (HandlerSpec<?> spec : all) {
        if (spec.types().isEmpty() == generic) {
          alone.add(new Takers(new int[] {specs.size()}, List.of()));
          specs.add(spec);
        }
      }
    }
  }

  public List<HandlerSpec<?>> specs() {
    return List.copyOf(specs);
  }

  /** The type as it is delivered: the name of today. */
  public String today(String type) {
    return aliases.today(type);
  }

  /** The same with the type as it is delivered: the name of today. */
  public Envelope today(Envelope envelope) {
    return aliases.today(envelope);
  }

  /** The same with the type as it is delivered. */
  public StoredMessage today(StoredMessage row) {
    return aliases.today(row);
  }

  /** The same with the type as it is delivered. */
  public DeferredMessage today(DeferredMessage row) {
    return aliases.today(row);
  }

  /**
   * Who takes a message.
   *
   * @param places of the handlers, among all of them
   * @param failed what becomes of it for those that failed to say so
   */
  @SuppressWarnings("ArrayRecordComponent") // made for one message, never compared
  public record Takers(int[] places, List<Settlement.Leftover> failed) {
    public boolean none() {
      return places.length == 0 && failed.isEmpty();
    }

    private Takers and(int place) {
      int[] more = Arrays.copyOf(places, places.length + 1);
      more[places.length] = place;
      return new Takers(more, failed);
    }

    private Takers failing(Settlement.Leftover leftover) {
      List<Settlement.Leftover> more = new ArrayList<>(failed);
      more.add(leftover);
      return new Takers(places, more);
    }
  }

  /**
   * Asks the handlers; calls the user's code.
   *
   * @param envelope with the type as it is delivered
   */
  public Takers takersOf(Envelope envelope) {
    Takers takers = NOBODY;
    for (int i = 0; i < specs.size(); i++) {
      try {
        if (specs.get(i).takes(envelope)) {
          takers = takers.none() ? alone.get(i) : takers.and(i);
        }
      } catch (RuntimeException | Error e) { // the user's test
        takers = takers.failing(new Settlement.Leftover(specs.get(i).name(), untestable(e)));
      }
    }
    return takers;
  }

  /** Whether some handler takes this message, or would have a dead letter of it. */
  public boolean take(Envelope envelope) {
    Envelope today = aliases.today(envelope);
    for (HandlerSpec<?> spec : specs) {
      try {
        if (spec.takes(today)) {
          return true;
        }
      } catch (RuntimeException | Error e) { // the user's test
        return true;
      }
    }
    return false;
  }

  /**
   * The fate of a message for a handler whose test failed. That memory ran out is no fault of the
   * message: it is asked again. That a stack did may be, and for good.
   */
  public static Fate untestable(Throwable cause) {
    String error =
        "the handler failed to say whether it takes this message: " + ErrorText.of(cause);
    return cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError)
        ? new Fate.Deferred(DeferReason.WAITING, 0, ASKED_AGAIN_AFTER, error)
        : new Fate.Dead(0, error);
  }

  /** The types of each handler, older names included, by its name, as other instances are told. */
  public Map<String, Set<String>> typesByName() {
    Map<String, Set<String>> types = new LinkedHashMap<>();
    specs.forEach(spec -> types.put(spec.name(), aliases.withOlder(spec.types())));
    return types;
  }
}
