/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.route;

import io.posthorn.HandlerSpec;
import io.posthorn.Route;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.Sender;
import io.posthorn.spi.Ticker;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The routes of an outbox, in order. Immutable. */
public final class RoutingTable {
  private final List<Entry> entries = new ArrayList<>();

  /** A route, and the types it is limited to; no types at all if it is not. */
  private record Entry(Route route, Optional<Set<String>> types) {
    boolean fits(Envelope envelope) {
      return (types.isEmpty() || types.get().contains(envelope.type()))
          && route.selection().fits(envelope);
    }
  }

  /**
   * @param typesByClass the payload classes that are known, by which annotations are found
   */
  public RoutingTable(List<Route> routes, Map<Class<?>, Set<String>> typesByClass) {
    routes.forEach(route -> entries.add(new Entry(route, types(route, typesByClass))));
  }

  private static Optional<Set<String>> types(Route route, Map<Class<?>, Set<String>> typesByClass) {
    Class<? extends Annotation> annotation = route.selection().annotation().orElse(null);
    if (annotation != null) {
      return Optional.of(
          typesByClass.entrySet().stream()
              .filter(known -> known.getKey().isAnnotationPresent(annotation))
              .flatMap(known -> known.getValue().stream())
              .collect(Collectors.toUnmodifiableSet()));
    }
    Set<String> types = route.selection().types();
    return types.isEmpty() ? Optional.empty() : Optional.of(types);
  }

  /** Annotations that no payload class bears that is known. */
  public Set<String> unknownAnnotations() {
    return entries.stream()
        .filter(entry -> entry.types.filter(Set::isEmpty).isPresent())
        .flatMap(entry -> entry.route.selection().annotation().stream())
        .map(Class::getName)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The names of senders that routes lead to. */
  public Set<String> senders() {
    return entries.stream()
        .map(entry -> entry.route.sender())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /**
   * The handler that sends what the routes lead to a sender.
   *
   * @param name of the sender, and so of the handler
   * @param cloudEventsSource null if CloudEvents headers are not wanted
   */
  public HandlerSpec<byte[]> handlerOf(
      String name,
      Sender sender,
      @Nullable PayloadCodec codec,
      @Nullable String cloudEventsSource,
      Ticker ticker) {
    return Dispatch.handler(name, sender, this, codec, cloudEventsSource, ticker);
  }

  /** The types that go to this sender; empty if that is not decided by types alone. */
  Optional<Set<String>> typesOf(String sender) {
    Set<String> types = new LinkedHashSet<>();
    for (Entry entry : entries) {
      if (entry.route.sender().equals(sender)) {
        if (entry.types.isEmpty()) {
          return Optional.empty();
        }
        types.addAll(entry.types.get());
      }
    }
    return Optional.of(types);
  }

  /** The route by which a message goes to this sender, if it does. */
  Optional<Route> find(String sender, Envelope envelope) {
    for (Entry entry : entries) {
      Route route = entry.route;
      if (route.sender().equals(sender)
          && entry.fits(envelope)
          && (!route.selection().isOtherwise() || nobodyElse(envelope))) {
        return Optional.of(route);
      }
    }
    return Optional.empty();
  }

  private boolean nobodyElse(Envelope envelope) {
    return entries.stream()
        .noneMatch(entry -> !entry.route.selection().isOtherwise() && entry.fits(envelope));
  }
}
