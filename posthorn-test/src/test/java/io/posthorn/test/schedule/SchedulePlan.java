/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.schedule;

import io.posthorn.HandlerSpec.LanePolicy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * What a seed decides before anything happens.
 *
 * @param dimensions what may happen
 * @param maxPayload the size of the largest payload, in bytes; perhaps more than the window has
 */
record SchedulePlan(
    Set<Dimension> dimensions,
    int partitions,
    int windowMessages,
    int windowBytes,
    int maxPayload,
    int settleBatch,
    List<HandlerPlan> handlers) {
  private static final List<String> TYPES = List.of("placed", "shipped", "refunded");
  private static final List<String> NAMES =
      List.of("ledger", "audit", "mailer", "stock", "archive");

  /** What may happen in a schedule. Each seed has some of them. */
  enum Dimension {
    /** Handlers fail now and then. */
    FAILURES,
    /** Messages are given up after few attempts. */
    DEAD_LETTERS,
    /** Relays die, or are expelled because their lease is short. */
    DEATHS,
    /** Destinations are down for a while. */
    OUTAGES,
    /** Calls to the store fail, before or after they have worked. */
    CUTS,
    /** Handlers and partitions are paused and resumed. */
    PAUSES,
    /** Operators retry, block, unblock, skip, cancel. */
    OPERATORS,
    /** Some relays lack a handler. */
    FOREIGN,
    /** Some handlers are transactional, and publish in their transactions. */
    TRANSACTIONS,
    /** Some handlers take batches. */
    BATCHES,
    /** Some handlers block a lane that has a dead letter. */
    BLOCKING,
    /** Some handlers let messages pass one that failed. */
    PASSING,
    /** Some messages have no key. */
    KEYLESS,
    /** What was delivered is kept. */
    RETENTION,
    /** Payloads are large, in comparison with the window. */
    BYTES
  }

  enum Kind {
    PLAIN,
    TRANSACTIONAL,
    BATCH
  }

  /**
   * A handler.
   *
   * @param foreign whether some relays lack it
   */
  record HandlerPlan(
      String name,
      Kind kind,
      List<String> types,
      LanePolicy lanePolicy,
      int maxAttempts,
      int concurrency,
      int batchSize,
      boolean foreign) {}

  /**
   * @param without what is left out, to look for the rest
   */
  static SchedulePlan of(Random random, Set<Dimension> without) {
    Set<Dimension> dimensions = EnumSet.noneOf(Dimension.class);
    for (Dimension dimension : Dimension.values()) {
      if (random.nextInt(3) == 0 && !without.contains(dimension)) {
        dimensions.add(dimension);
      }
    }
    boolean large = dimensions.contains(Dimension.BYTES);
    int windowBytes = large ? 1_024 << random.nextInt(5) : 1 << 20;
    return new SchedulePlan(
        dimensions,
        1 + random.nextInt(3),
        4 + random.nextInt(20),
        windowBytes,
        large ? 2 * windowBytes : 20,
        1 + random.nextInt(8),
        handlers(random, dimensions));
  }

  private static List<HandlerPlan> handlers(Random random, Set<Dimension> dimensions) {
    List<HandlerPlan> handlers = new ArrayList<>();
    int count = 2 + random.nextInt(NAMES.size() - 1);
    for (int i = 0; i < count; i++) {
      List<String> types = new ArrayList<>(TYPES);
      types.removeIf(type -> random.nextBoolean());
      handlers.add(
          new HandlerPlan(
              NAMES.get(i),
              kind(random, dimensions),
              types.isEmpty() ? List.of(TYPES.get(random.nextInt(TYPES.size()))) : types,
              policy(random, dimensions),
              dimensions.contains(Dimension.DEAD_LETTERS) ? 1 + random.nextInt(3) : 1_000,
              1 + random.nextInt(3),
              1 + random.nextInt(5),
              i == count - 1 && dimensions.contains(Dimension.FOREIGN)));
    }
    return handlers;
  }

  private static Kind kind(Random random, Set<Dimension> dimensions) {
    if (dimensions.contains(Dimension.TRANSACTIONS) && random.nextBoolean()) {
      return Kind.TRANSACTIONAL;
    }
    return dimensions.contains(Dimension.BATCHES) && random.nextBoolean() ? Kind.BATCH : Kind.PLAIN;
  }

  private static LanePolicy policy(Random random, Set<Dimension> dimensions) {
    List<LanePolicy> all = List.of(LanePolicy.values());
    LanePolicy policy = all.get(random.nextInt(all.size()));
    boolean allowed =
        switch (policy) {
          case HOLD -> true;
          case BLOCK -> dimensions.contains(Dimension.BLOCKING);
          case PASS -> dimensions.contains(Dimension.PASSING);
        };
    return allowed ? policy : LanePolicy.HOLD;
  }

  boolean has(Dimension dimension) {
    return dimensions.contains(dimension);
  }

  /** The handlers that take a type. */
  List<HandlerPlan> handlersOf(String type) {
    return handlers.stream().filter(handler -> handler.types.contains(type)).toList();
  }

  /** The types that have handlers. */
  List<String> types() {
    return TYPES.stream().filter(type -> !handlersOf(type).isEmpty()).toList();
  }
}
