/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.Fate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a worker takes at once: tasks in order, and what came of those it has come to. One worker
 * only.
 */
final class Run {
  private final boolean probe;
  private final long begun;
  private final List<Task> tasks = new ArrayList<>();
  private final List<@Nullable Result> results = new ArrayList<>();
  private final Set<Lane> lanes = new LinkedHashSet<>();
  private final Set<Lane> stopped = new HashSet<>();
  private final Set<Lane> failed = new HashSet<>();

  /**
   * What came of one task.
   *
   * @param stored whether that is in the tables already
   */
  record Result(Task task, Fate fate, boolean stored) {}

  /**
   * @param probe whether it is to find out whether the handler's destination is back
   */
  Run(boolean probe, long begun) {
    this.probe = probe;
    this.begun = begun;
  }

  /** When it was taken. */
  long begun() {
    return begun;
  }

  boolean isProbe() {
    return probe;
  }

  /** Whether some delivery was made, and none found the destination down. */
  boolean gotThrough() {
    return stopped.isEmpty() && results.stream().anyMatch(result -> result != null);
  }

  void add(Task task) {
    tasks.add(task);
    results.add(null);
    lanes.add(task.lane);
  }

  int size() {
    return tasks.size();
  }

  boolean isEmpty() {
    return tasks.isEmpty();
  }

  Task task(int index) {
    return tasks.get(index);
  }

  Set<Lane> lanes() {
    return lanes;
  }

  void fate(int index, Fate fate) {
    Task task = tasks.get(index);
    results.set(index, new Result(task, fate, false));
    if (fate instanceof Fate.Deferred || (fate instanceof Fate.Dead dead && dead.blocksLane())) {
      failed.add(task.lane);
    }
  }

  /** The outcome was stored with the delivery. */
  void stored(int index) {
    results.set(index, new Result(tasks.get(index), Fate.DELIVERED, true));
  }

  /** A task of this lane counts as not begun; later ones come after it. */
  void stop(Lane lane) {
    stopped.add(lane);
  }

  void forEachResult(Consumer<Result> action) {
    for (Result result : results) {
      if (result != null) {
        action.accept(result);
      }
    }
  }

  /** Whether later tasks of the lane must not be taken as done. */
  boolean stopped(Lane lane) {
    return stopped.contains(lane) || failed(lane);
  }

  /** Whether a task of the lane has to be tried again, so that later ones must wait for it. */
  boolean failed(Lane lane) {
    return lane.holds && failed.contains(lane);
  }

  /** In order. */
  List<Task> notStarted() {
    List<Task> left = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      if (results.get(i) == null) {
        left.add(tasks.get(i));
      }
    }
    return left;
  }
}
