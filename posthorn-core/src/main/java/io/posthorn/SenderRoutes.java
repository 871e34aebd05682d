/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import io.posthorn.internal.route.RoutingTable;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.Sender;
import io.posthorn.spi.Ticker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The senders and routes that a builder has collected. */
final class SenderRoutes {
  private record Registered(Sender sender, UnaryOperator<HandlerSpec<byte[]>> settings) {}

  private final Map<String, Registered> senders = new LinkedHashMap<>();
  private final List<Route> routes = new ArrayList<>();
  private @Nullable String cloudEventsSource;

  /**
   * @return false if there is one of this name already
   */
  boolean add(String name, Sender sender, UnaryOperator<HandlerSpec<byte[]>> settings) {
    return senders.put(name, new Registered(sender, settings)) == null;
  }

  void add(Route route) {
    routes.add(route);
  }

  void cloudEvents(String source) {
    cloudEventsSource = source;
  }

  /**
   * The handlers that send what routes lead to brokers.
   *
   * @param typesByClass the payload classes that are known, by which annotations are found
   */
  List<HandlerSpec<?>> handlers(
      Map<Class<?>, Set<String>> typesByClass,
      @Nullable PayloadCodec codec,
      Ticker ticker,
      boolean publishOnly,
      ConfigProblems check) {
    RoutingTable table = new RoutingTable(routes, typesByClass);
    check.checkRoutes(table, senders.keySet(), publishOnly);
    List<HandlerSpec<?>> handlers = new ArrayList<>();
    senders.forEach(
        (name, registered) -> {
          HandlerSpec<byte[]> handler =
              registered.settings.apply(
                  table.handlerOf(name, registered.sender, codec, cloudEventsSource, ticker));
          check.checkSending(handler);
          handlers.add(handler);
        });
    return handlers;
  }
}
