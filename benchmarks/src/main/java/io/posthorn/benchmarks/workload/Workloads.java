/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import io.posthorn.benchmarks.subject.DatabaseProduct;
import io.posthorn.benchmarks.subject.Subjects;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** The workloads by name, in the order of the tables. A family such as w2 has several sizes. */
public enum Workloads {
  W1("w1", "steady: 16 writers, relay on", Steady::new),
  W2_SMALL("w2-10000", "drain of 10,000", Drain::new, 10_000),
  W2("w2", "drain", Drain::new),
  W2_LARGE("w2-1000000", "drain of 1,000,000", Drain::new, 1_000_000),
  W3("w3", "idle latency: a message every 20 ms", IdleLatency::new),
  W4("w4", "publish cost: one writer, relay off", PublishCost::new),
  W5("w5", "pinned horizon: writers at half rate, an old snapshot held", PinnedHorizon::new),
  W6("w6", "clutter: drain beside delayed messages and blocked keys", Clutter::new),
  W7_1("w7-1", "crowd: 1 relay", () -> new Crowd(1)),
  W7_2("w7-2", "crowd: 2 relays", () -> new Crowd(2)),
  W7_4("w7-4", "crowd: 4 relays", () -> new Crowd(4)),
  W7_8("w7-8", "crowd: 8 relays", () -> new Crowd(8)),
  W8("w8", "memory: drain of 1,000,000 in a heap of 128 MB", Drain::new, 1_000_000),
  W9_OPEN(
      "w9-open",
      "open transaction: 1,500 writes/s beside one that has written elsewhere",
      () -> new OpenTransaction(ForeignTransaction::open)),
  W9_PREPARED(
      "w9-prepared",
      "open transaction: the same, prepared",
      () -> new OpenTransaction(ForeignTransaction::prepared)),
  W10_FIRST(
      "w10-first",
      "stuck destination: one key in twelve goes to a topic that never answers",
      () -> new StuckDestination(false)),
  W10_MIDDLE(
      "w10-middle",
      "stuck destination: the same, and messages are on their way when it gets stuck",
      () -> new StuckDestination(true));

  private static final int MESSAGES = 100_000;
  private static final String HEAP = "2g";
  private static final String SMALL_HEAP = "128m";

  private final String label;
  private final String title;
  private final Supplier<Workload> make;
  private final int messages;

  Workloads(String label, String title, Supplier<Workload> make) {
    this(label, title, make, MESSAGES);
  }

  Workloads(String label, String title, Supplier<Workload> make, int messages) {
    this.label = label;
    this.title = title;
    this.make = make;
    this.messages = messages;
  }

  public String label() {
    return label;
  }

  public String title() {
    return title;
  }

  public Workload create() {
    return make.get();
  }

  /** The size of its backlog, unless the user wants another. */
  public int messages() {
    return messages;
  }

  public String heap() {
    return this == W8 ? SMALL_HEAP : HEAP;
  }

  /**
   * How much longer than the others it takes: W5 compares three parts of three minutes, W9 needs 80
   * seconds.
   */
  public int durationFactor() {
    return switch (this) {
      case W5 -> 9;
      case W9_OPEN, W9_PREPARED, W10_FIRST, W10_MIDDLE -> 4;
      case W2_LARGE, W8 -> 6;
      default -> 1;
    };
  }

  /** Whether it can be measured in the first seconds of a JVM, see {@link Effort}. */
  public boolean canBeCold() {
    return switch (this) {
      case W1, W2_SMALL, W2, W2_LARGE, W3, W4 -> true;
      default -> false;
    };
  }

  /** Whether it begins with a backlog, of which the first drain in a JVM's life counts. */
  public boolean isDrain() {
    return this == W2_SMALL || this == W2 || this == W2_LARGE;
  }

  /** Whether it asks nothing that only PostgreSQL answers. */
  public boolean runsOn(DatabaseProduct product) {
    return product == DatabaseProduct.POSTGRESQL || canBeCold();
  }

  /** Who can do it at all. */
  public Set<Subjects> able() {
    return switch (this) {
      case W6 -> EnumSet.of(Subjects.POSTHORN);
      case W10_FIRST, W10_MIDDLE -> EnumSet.of(Subjects.POSTHORN_KAFKA);
      case W7_1, W7_2, W7_4, W7_8 -> EnumSet.of(Subjects.POSTHORN);
      case W1, W2_SMALL, W2, W2_LARGE -> EnumSet.allOf(Subjects.class);
      default -> EnumSet.complementOf(EnumSet.of(Subjects.LIMIT_KAFKA, Subjects.POSTHORN_KAFKA));
    };
  }

  /** Who does it when nobody was named: the slow ones would take hours for a million. */
  public Set<Subjects> usual() {
    return switch (this) {
      case W2_LARGE, W5, W8, W9_OPEN, W9_PREPARED ->
          EnumSet.of(Subjects.LIMIT, Subjects.LIMIT_LEAN, Subjects.POSTHORN);
      case W6, W7_1, W7_2, W7_4, W7_8, W10_FIRST, W10_MIDDLE -> able();
      default -> EnumSet.complementOf(EnumSet.of(Subjects.LIMIT_KAFKA, Subjects.POSTHORN_KAFKA));
    };
  }

  /**
   * The workloads of a name, such as {@code w3}, {@code w2-10000} or, for all of a family, {@code
   * w2}.
   */
  public static List<Workloads> named(String name) {
    return Arrays.stream(values())
        .filter(it -> it.label.equals(name) || it.label.startsWith(name + "-"))
        .toList();
  }
}
