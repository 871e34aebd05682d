/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.policy;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.posthorn.spi.FleetSurvey.Gone;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the instances of the last survey know: during a rolling deployment some have handlers that
 * this one has not. A handler that no live instance has any more is remembered for the grace time,
 * by its name. Immutable.
 */
public final class Fleet {
  /** Before the first survey. */
  public static final Fleet NONE = new Fleet(List.of(), List.of(), Map.of(), Duration.ZERO);

  private static final Elsewhere NOWHERE = new Elsewhere(Set.of(), Set.of(), Set.of());

  private final List<LiveInstance> live;
  private final List<RelayIdentity> ranks;
  private final Map<String, Set<String>> own;
  private final List<Foreign> foreign; // none while all instances are of one version
  private final List<Gone> forgettable;

  /**
   * A handler of another instance that may take what this one does not.
   *
   * @param gone no live instance has it
   */
  private record Foreign(String name, Set<String> types, boolean gone) {}

  /**
   * Handlers that take a type in other instances only, by name.
   *
   * @param typed they list the type, or did so while they were there
   * @param generic they decide by themselves, so only their instance can tell
   * @param gone the same, but there is no live instance to tell
   */
  public record Elsewhere(Set<String> typed, Set<String> generic, Set<String> gone) {
    public boolean has(String handler) {
      return typed.contains(handler) || generic.contains(handler);
    }

    /** Whether there is not even a handler that is remembered. */
    public boolean isEmpty() {
      return none() && gone.isEmpty();
    }

    /** Whether nobody is known who takes it, or can tell. */
    public boolean none() {
      return typed.isEmpty() && generic.isEmpty();
    }
  }

  /**
   * @param ownHandlers the types of each own handler, by name, as other instances are told
   * @param grace for how long a handler is remembered
   */
  public Fleet(
      Collection<LiveInstance> instances,
      Collection<Gone> gone,
      Map<String, Set<String>> ownHandlers,
      Duration grace) {
    this.live = instances.stream().filter(instance -> !instance.stale()).toList();
    this.own = Map.copyOf(ownHandlers);
    this.ranks = ranks();
    Set<String> names = handlers();
    names.addAll(own.keySet());
    this.forgettable =
        gone.stream()
            .filter(it -> names.contains(it.handler()) || it.age().compareTo(grace) >= 0)
            .toList();
    Stream<Foreign> remembered =
        gone.stream()
            .filter(it -> !forgettable.contains(it))
            .map(it -> new Foreign(it.handler(), it.types(), true));
    Stream<Foreign> dying = // expelled as soon as its settle has ended
        foreign(instances.stream().filter(LiveInstance::stale), true)
            .filter(handler -> !names.contains(handler.name));
    this.foreign =
        Stream.of(foreign(live.stream(), false), remembered, dying)
            .flatMap(identity())
            .distinct()
            .filter(this::mayTakeMore)
            .toList();
  }

  private static Stream<Foreign> foreign(Stream<LiveInstance> instances, boolean gone) {
    return instances
        .flatMap(instance -> instance.handlers().entrySet().stream())
        .map(handler -> new Foreign(handler.getKey(), handler.getValue(), gone));
  }

  /** Those that want partitions, in an order that all relays come to. */
  private List<RelayIdentity> ranks() {
    boolean someHaveHandlers = live.stream().anyMatch(it -> !it.handlers().isEmpty());
    return live.stream()
        .filter(instance -> !someHaveHandlers || !instance.handlers().isEmpty())
        .map(LiveInstance::identity)
        .sorted()
        .toList();
  }

  /** Whether its instances have the same handlers, for the same types. */
  public boolean hasHandlersOf(Fleet other) {
    return this == other
        || (handlers().equals(other.handlers())
            && Set.copyOf(foreign).equals(Set.copyOf(other.foreign)));
  }

  /**
   * Who takes this type in other instances only. A handler of the same name here counts if it does
   * not take the type.
   *
   * @param stored the type as it is stored, which is what other instances go by
   * @param delivered the type as it is delivered here
   */
  public Elsewhere elsewhere(String stored, String delivered) {
    if (foreign.isEmpty()) {
      return NOWHERE;
    }
    Set<String> typed = new TreeSet<>();
    Set<String> generic = new TreeSet<>();
    Set<String> gone = new TreeSet<>();
    for (Foreign handler : foreign) {
      if (handler.types.contains(stored) && !takenHere(handler.name, delivered)) {
        typed.add(handler.name);
      } else if (handler.types.isEmpty() && !takenHere(handler.name, delivered)) {
        (handler.gone ? gone : generic).add(handler.name);
      }
    }
    gone.removeAll(typed); // versions of it may differ
    return new Elsewhere(typed, generic, gone);
  }

  private boolean mayTakeMore(Foreign handler) {
    Set<String> here = own.get(handler.name);
    boolean coveredHere =
        here != null
            && (here.isEmpty() || (!handler.types.isEmpty() && here.containsAll(handler.types)));
    return !coveredHere;
  }

  private boolean takenHere(String handler, String type) {
    Set<String> types = own.get(handler);
    return types != null && (types.isEmpty() || types.contains(type));
  }

  /**
   * Handlers that are noted as gone without need: somebody has them again, or the grace is over.
   */
  public List<Gone> forgettable() {
    return forgettable;
  }

  /** Names of the handlers that no live instance has, but messages are kept for. */
  public Set<String> remembered() {
    return foreign.stream()
        .filter(Foreign::gone)
        .map(Foreign::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Names of all handlers of live instances. */
  public Set<String> handlers() {
    Set<String> names = new TreeSet<>();
    live.forEach(instance -> names.addAll(instance.handlers().keySet()));
    return names;
  }

  /**
   * How many of the partitions are the fair share of this relay. All relays come to the same split.
   */
  public int share(RelayIdentity me, int partitions) {
    int rank = ranks.indexOf(me);
    if (rank < 0) {
      return 0;
    }
    return partitions / ranks.size() + (rank < partitions % ranks.size() ? 1 : 0);
  }

  /** How many partitions those that come before this relay lack. */
  public int wantedBefore(RelayIdentity me, List<PartitionOwner> partitions) {
    Map<RelayIdentity, Long> owned =
        partitions.stream()
            .map(PartitionOwner::owner)
            .filter(Objects::nonNull)
            .collect(groupingBy(identity(), counting()));
    int wanted = 0;
    for (RelayIdentity other : ranks.subList(0, Math.max(0, ranks.indexOf(me)))) {
      int share = share(other, partitions.size());
      wanted += Math.max(0, share - owned.getOrDefault(other, 0L).intValue());
    }
    return wanted;
  }
}
