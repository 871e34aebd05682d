/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.route;

import io.posthorn.Batch;
import io.posthorn.BatchHandler;
import io.posthorn.HandlerSpec;
import io.posthorn.RefusedException;
import io.posthorn.Route;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.Sender;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The handler of one sender: takes what a route leads there, and has the messages of many keys
 * under way at once. Safe to share between threads.
 *
 * <p>The next message of a key goes out when the one before it was confirmed. Brokers and their
 * clients keep the order of what is under way together only as long as nothing is refused: one that
 * is too large, or a connection that breaks, would let the later ones pass.
 */
final class Dispatch implements BatchHandler<byte[]> {
  /** How many messages a worker hands over at once. */
  static final int BATCH_SIZE = 500;

  /** A sender has this much longer than it says. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private final String name;
  private final Sender sender;
  private final RoutingTable routes;
  private final Preparation preparation;
  private final Ticker ticker;

  private Dispatch(
      String name, Sender sender, RoutingTable routes, Preparation preparation, Ticker ticker) {
    this.name = name;
    this.sender = sender;
    this.routes = routes;
    this.preparation = preparation;
    this.ticker = ticker;
  }

  /**
   * The handler that sends what the routes lead to this sender.
   *
   * @param name of the sender, and so of the handler
   * @param cloudEventsSource null if CloudEvents headers are not wanted
   */
  static HandlerSpec<byte[]> handler(
      String name,
      Sender sender,
      RoutingTable routes,
      @Nullable PayloadCodec codec,
      @Nullable String cloudEventsSource,
      Ticker ticker) {
    CloudEvents cloudEvents =
        cloudEventsSource == null
            ? null
            : new CloudEvents(sender.cloudEventsPrefix(), cloudEventsSource);
    Dispatch dispatch =
        new Dispatch(name, sender, routes, new Preparation(codec, cloudEvents), ticker);
    HandlerSpec<byte[]> handler =
        HandlerSpec.genericBatch(name, dispatch::takes, BATCH_SIZE, dispatch)
            .batchPerKey(1)
            .timeLimit(sender.timeout().plus(GRACE));
    for (String type : routes.typesOf(name).orElse(Set.of())) {
      handler = handler.alsoType(type);
    }
    return handler;
  }

  private boolean takes(Envelope envelope) {
    return routes.find(name, envelope).isPresent();
  }

  @Override
  public void handle(Batch<byte[]> batch) {
    new Sending(batch, sender, this::prepare, ticker).run();
  }

  /** Null if the route lets it not pass. */
  private @Nullable Outgoing prepare(Batch.Item<byte[]> item) {
    Route route = routes.find(name, item.delivery().message().envelope()).orElse(null);
    if (route == null) {
      throw new RefusedException(
          "no route leads to \"%s\" any more: add one for type \"%s\" and retry it, or drop it"
              .formatted(name, item.delivery().type()),
          null);
    }
    return route.passes(item.delivery())
        ? preparation.prepare(route, item.delivery(), item.payload())
        : null;
  }
}
