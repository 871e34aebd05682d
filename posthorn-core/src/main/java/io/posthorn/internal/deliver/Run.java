/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.Fate;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a worker takes at once: tasks in order, and the fates of those it has come to. One worker
 * only.
 */
final class Run {
  private final List<Task> tasks = new ArrayList<>();
  private final List<@Nullable Fate> fates = new ArrayList<>();
  private final Set<Lane> lanes = new LinkedHashSet<>();

  void add(Task task) {
    tasks.add(task);
    fates.add(null);
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
    fates.set(index, fate);
  }

  void forEachStarted(BiConsumer<Task, Fate> action) {
    for (int i = 0; i < tasks.size(); i++) {
      Fate fate = fates.get(i);
      if (fate != null) {
        action.accept(tasks.get(i), fate);
      }
    }
  }

  /** Whether a task of the lane has to be tried again, so that later ones must wait for it. */
  boolean failed(Lane lane) {
    for (int i = 0; i < tasks.size(); i++) {
      if (fates.get(i) instanceof Fate.Deferred && tasks.get(i).lane == lane) {
        return true;
      }
    }
    return false;
  }

  /** In order. */
  List<Task> notStarted() {
    List<Task> left = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      if (fates.get(i) == null) {
        left.add(tasks.get(i));
      }
    }
    return left;
  }
}
