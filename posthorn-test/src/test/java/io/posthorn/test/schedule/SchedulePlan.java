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
import java.util.TreeSet;
import java.util.function.UnaryOperator;

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
    BYTES,
    /** Some handlers may begin few deliveries a second only. */
    RATE_LIMITS,
    /** Some handlers have a fallback. */
    FALLBACKS,
    /** Some messages are delayed. */
    DELAYS,
    /** Some messages expire. */
    EXPIRY,
    /** The database refuses to store outcomes now and then. */
    REFUSALS,
    /** Reads and settles take a while. */
    SLOW_CALLS,
    /** Others act while a read or settle is under way. */
    OVERLAPS,
    /** Some handlers send, and get their answers later. */
    SENDERS
  }

  enum Kind {
    PLAIN,
    TRANSACTIONAL,
    BATCH,
    SENDER
  }

  /**
   * A handler.
   *
   * @param perSecond how many deliveries it may begin in a second; 0: as many as it likes
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
      int perSecond,
      boolean fallback,
      boolean foreign) {
    private static final List<UnaryOperator<HandlerPlan>> SIMPLER =
        List.of(
            plan -> plan.with(Kind.PLAIN, plan.lanePolicy, plan.concurrency, plan.perSecond),
            plan -> plan.with(plan.kind, LanePolicy.HOLD, plan.concurrency, plan.perSecond),
            plan -> plan.with(plan.kind, plan.lanePolicy, 1, plan.perSecond),
            plan -> plan.with(plan.kind, plan.lanePolicy, plan.concurrency, 0));

    /** Whether it takes several messages at once. */
    boolean inBatches() {
      return kind == Kind.BATCH || kind == Kind.SENDER;
    }

    private HandlerPlan with(Kind other, LanePolicy policy, int workers, int rate) {
      return new HandlerPlan(
          name,
          other,
          types,
          policy,
          maxAttempts,
          workers,
          batchSize,
          rate,
          fallback && other == kind,
          foreign);
    }
  }

  /**
   * @param without what is left out, to look for the rest
   */
  static SchedulePlan of(Random random, Set<Dimension> without) {
    Set<Dimension> dimensions = EnumSet.noneOf(Dimension.class);
    int share = 2 + random.nextInt(3); // some schedules have much, others little
    for (Dimension dimension : Dimension.values()) {
      if (random.nextInt(share) == 0 && !without.contains(dimension)) {
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
      Kind kind = kind(random, dimensions);
      handlers.add(
          new HandlerPlan(
              NAMES.get(i),
              kind,
              types.isEmpty() ? List.of(TYPES.get(random.nextInt(TYPES.size()))) : types,
              policy(random, dimensions),
              dimensions.contains(Dimension.DEAD_LETTERS) ? 1 + random.nextInt(3) : 1_000,
              1 + random.nextInt(3),
              1 + random.nextInt(5),
              dimensions.contains(Dimension.RATE_LIMITS) && random.nextBoolean()
                  ? 2 + random.nextInt(30)
                  : 0,
              dimensions.contains(Dimension.FALLBACKS)
                  && kind != Kind.TRANSACTIONAL // its effects would not be exactly once
                  && random.nextBoolean(),
              i == count - 1 && dimensions.contains(Dimension.FOREIGN)));
    }
    return handlers;
  }

  private static Kind kind(Random random, Set<Dimension> dimensions) {
    if (dimensions.contains(Dimension.TRANSACTIONS) && random.nextBoolean()) {
      return Kind.TRANSACTIONAL;
    }
    if (dimensions.contains(Dimension.SENDERS) && random.nextBoolean()) {
      return Kind.SENDER;
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

  // --- to find out what it can do without

  /** Ways to a plan with less in it; each leaves a plan as it is that has nothing of the sort. */
  List<UnaryOperator<SchedulePlan>> simplifications() {
    List<UnaryOperator<SchedulePlan>> all = new ArrayList<>();
    for (HandlerPlan handler : handlers) {
      all.add(plan -> plan.without(handler.name));
    }
    for (Dimension dimension : Dimension.values()) {
      all.add(plan -> plan.without(dimension));
    }
    for (HandlerPlan handler : handlers) {
      HandlerPlan.SIMPLER.forEach(simpler -> all.add(plan -> plan.with(handler.name, simpler)));
    }
    all.add(plan -> plan.with(1, plan.windowMessages, plan.settleBatch));
    all.add(plan -> plan.with(plan.partitions, 100, plan.settleBatch));
    all.add(plan -> plan.with(plan.partitions, plan.windowMessages, 100));
    return all;
  }

  private SchedulePlan without(String handler) {
    List<HandlerPlan> others =
        handlers.stream().filter(other -> !other.name.equals(handler)).toList();
    return others.isEmpty() ? this : with(dimensions, others);
  }

  private SchedulePlan without(Dimension dimension) {
    Set<Dimension> others = new TreeSet<>(dimensions);
    others.remove(dimension);
    return with(others, handlers);
  }

  /** Changes a handler, if it is still there. */
  private SchedulePlan with(String name, UnaryOperator<HandlerPlan> simpler) {
    return with(
        dimensions,
        handlers.stream()
            .map(handler -> handler.name.equals(name) ? simpler.apply(handler) : handler)
            .toList());
  }

  private SchedulePlan with(Set<Dimension> others, List<HandlerPlan> otherHandlers) {
    return new SchedulePlan(
        others, partitions, windowMessages, windowBytes, maxPayload, settleBatch, otherHandlers);
  }

  private SchedulePlan with(int otherPartitions, int otherWindow, int otherBatch) {
    return new SchedulePlan(
        dimensions, otherPartitions, otherWindow, windowBytes, maxPayload, otherBatch, handlers);
  }

  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder(
            "%d partitions, a window of %d messages and %d bytes, settles of %d; %s"
                .formatted(partitions, windowMessages, windowBytes, settleBatch, dimensions));
    handlers.forEach(handler -> text.append('\n').append(handler));
    return text.toString();
  }
}
