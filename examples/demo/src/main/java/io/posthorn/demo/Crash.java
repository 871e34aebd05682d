/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/**
 * The fault of the demo: a second relay works for a third of the run, is killed, and replaced a
 * little later. For one thread.
 */
final class Crash implements AutoCloseable {
  static final String KILLED = "relay-2";
  static final String REPLACEMENT = "relay-3";

  private static final Duration UNTIL_REPLACED = Duration.ofSeconds(2);

  private final Start start;
  private final LiveView view;
  private final Duration killAt;
  private RelayProcess relay;
  private Stage stage = Stage.STARTING;
  private Duration killedAt = Duration.ZERO;

  private enum Stage {
    STARTING,
    WORKING,
    KILLED,
    TAKING_OVER,
    REPLACED
  }

  /** Starts a relay of this name in a process of its own. */
  @FunctionalInterface
  interface Start {
    RelayProcess relay(String name) throws IOException;
  }

  /** Starts the relay that will be killed. */
  Crash(Start start, LiveView view, Duration run) throws IOException {
    this.start = start;
    this.view = view;
    this.killAt = run.dividedBy(3);
    this.relay = start.relay(KILLED);
  }

  /**
   * Does what is due.
   *
   * @param holders how many partitions each relay holds
   * @throws DemoException if a relay ended by itself
   */
  void step(Duration elapsed, Map<String, Integer> holders)
      throws IOException, InterruptedException {
    if (stage != Stage.KILLED && !relay.alive()) {
      throw new DemoException(relay.name() + " ended by itself");
    }
    switch (stage) {
      case STARTING -> stage = holders.containsKey(KILLED) ? Stage.WORKING : stage;
      case WORKING -> killWhenDue(elapsed, holders);
      case KILLED -> replaceWhenDue(elapsed);
      case TAKING_OVER -> noteTakeOver(elapsed, holders);
      case REPLACED -> {}
    }
  }

  private void killWhenDue(Duration elapsed, Map<String, Integer> holders)
      throws InterruptedException {
    if (elapsed.compareTo(killAt) >= 0) {
      relay.kill();
      killedAt = elapsed;
      stage = Stage.KILLED;
      view.tell(
          elapsed,
          "%s killed; it held %d partitions, which wait for the end of its lease (%d s)"
              .formatted(KILLED, holders.getOrDefault(KILLED, 0), DemoRelay.LEASE.toSeconds()));
    }
  }

  private void replaceWhenDue(Duration elapsed) throws IOException {
    if (elapsed.minus(killedAt).compareTo(UNTIL_REPLACED) >= 0) {
      relay = start.relay(REPLACEMENT);
      stage = Stage.TAKING_OVER;
      view.tell(elapsed, "%s started in place of %s".formatted(REPLACEMENT, KILLED));
    }
  }

  private void noteTakeOver(Duration elapsed, Map<String, Integer> holders) {
    Integer held = holders.get(REPLACEMENT);
    if (held != null && !holders.containsKey(KILLED)) {
      stage = Stage.REPLACED;
      view.tell(
          elapsed, "%s replaced: %s took over %d partitions".formatted(KILLED, REPLACEMENT, held));
    }
  }

  /** Whether the relay that will be killed has its share of the work. */
  boolean begun() {
    return stage != Stage.STARTING;
  }

  /** Whether the replacement has its share of the work. */
  boolean over() {
    return stage == Stage.REPLACED;
  }

  /** Whether this relay is the one that is dead by now. */
  boolean hasKilled(String name) {
    return name.equals(KILLED) && stage.compareTo(Stage.KILLED) >= 0;
  }

  Duration killedAt() {
    return killedAt;
  }

  @Override
  public void close() throws IOException {
    relay.close();
  }
}
