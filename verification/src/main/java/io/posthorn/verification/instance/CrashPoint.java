/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.test.fault.FaultyStore;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Ends the JVM at one place, when that has been passed a few times. */
public final class CrashPoint {
  /** Where, in the order of a message's way. */
  public enum Step {
    PUBLISHED(null),
    BEFORE_WRITE(FaultyStore.Step.APPEND),
    WRITTEN(FaultyStore.Step.APPEND),
    COMMITTED(null),
    BEFORE_READ(FaultyStore.Step.READ),
    READ(FaultyStore.Step.READ),
    STARTED(null),
    DELIVERED(null),
    BEFORE_SETTLE(FaultyStore.Step.SETTLE),
    SETTLED(FaultyStore.Step.SETTLE),
    BEFORE_HEARTBEAT(FaultyStore.Step.HEARTBEAT),
    HEARTBEAT_STORED(FaultyStore.Step.HEARTBEAT),
    BEFORE_TAKE(FaultyStore.Step.TAKE),
    TAKEN(FaultyStore.Step.TAKE);

    private final FaultyStore.@Nullable Step access;

    Step(FaultyStore.@Nullable Step access) {
      this.access = access;
    }

    /** Whether an instance does not pass it often. */
    public boolean isRare() {
      return access == FaultyStore.Step.HEARTBEAT || access == FaultyStore.Step.TAKE;
    }

    /** As an instance is told: how often it is passed before. */
    public String after(int passes) {
      return name().toLowerCase(Locale.ROOT) + ":" + passes;
    }
  }

  private static final int EXIT_STATUS = 77;

  private final @Nullable Step step;
  private final int passes;
  private final AtomicInteger left;

  /**
   * @param place as {@link Step#after} says it; empty: nowhere
   */
  CrashPoint(String place) {
    int colon = place.indexOf(':');
    this.step = colon < 0 ? null : Step.valueOf(place.substring(0, colon).toUpperCase(Locale.ROOT));
    this.passes = colon < 0 ? 0 : Integer.parseInt(place.substring(colon + 1));
    this.left = new AtomicInteger(passes);
  }

  /** Sees to it that the store gets here, if it is an access to the store. */
  void plan(FaultyStore store) {
    Step wanted = step;
    if (wanted == null || wanted.access == null) {
      return;
    }
    boolean before = wanted.name().startsWith("BEFORE_");
    for (int i = 0; i <= passes; i++) {
      if (before) {
        store.before(wanted.access, () -> at(wanted));
      } else {
        store.after(wanted.access, () -> at(wanted));
      }
    }
  }

  void at(Step place) {
    if (place == step && left.decrementAndGet() < 0) {
      Runtime.getRuntime().halt(EXIT_STATUS);
    }
  }
}
