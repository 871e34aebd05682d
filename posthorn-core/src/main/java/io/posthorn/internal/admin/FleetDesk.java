/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import static java.util.Objects.requireNonNull;

import io.posthorn.ActionRun;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Kind;
import io.posthorn.Fleet;
import io.posthorn.internal.publish.Publisher;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.FleetSurvey.Paused;
import io.posthorn.spi.PartitionOwner;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** What operators see of the instances, and tell all of them. */
final class FleetDesk implements Fleet {
  private final Actions actions;
  private final AdminDesk.Setting setting;

  FleetDesk(Actions actions, AdminDesk.Setting setting) {
    this.actions = actions;
    this.setting = setting;
  }

  @Override
  public List<Instance> instances() {
    return FleetView.of(actions.store()).instances();
  }

  @Override
  public List<HandlerState> handlers() {
    return FleetView.of(actions.store()).handlers();
  }

  @Override
  public List<Sample> recent() {
    return setting.recent().get();
  }

  @Override
  public List<PartitionOwner> partitions() {
    return actions.store().fleet().partitions().stream()
        .sorted(Comparator.comparingInt(PartitionOwner::partition))
        .toList();
  }

  @Override
  public int partitionOf(String key) {
    if (requireNonNull(key, "key").isEmpty()) {
      throw new IllegalArgumentException("key was empty but must have at least one character");
    }
    return Publisher.partitionOf(key, setting.partitions().getAsInt());
  }

  @Override
  public AdminAction pauseHandler(String name, ActionRun run) {
    checkName(requireNonNull(name, "name"));
    return steer(Kind.PAUSE, "handler " + name, run, store -> store.pause(Paused.HANDLER, name));
  }

  @Override
  public AdminAction resumeHandler(String name, ActionRun run) {
    requireNonNull(name, "name");
    return steer(Kind.RESUME, "handler " + name, run, store -> store.resume(Paused.HANDLER, name));
  }

  @Override
  public AdminAction pausePartition(int partition, ActionRun run) {
    String name = checked(partition);
    return steer(
        Kind.PAUSE, "partition " + name, run, store -> store.pause(Paused.PARTITION, name));
  }

  @Override
  public AdminAction resumePartition(int partition, ActionRun run) {
    String name = checked(partition);
    return steer(
        Kind.RESUME, "partition " + name, run, store -> store.resume(Paused.PARTITION, name));
  }

  @Override
  public List<Pause> pauses() {
    return actions.store().pauses();
  }

  @Override
  public AdminAction forgetHandler(String name, ActionRun run) {
    requireNonNull(name, "name");
    return steer(Kind.FORGET, "handler " + name, run, store -> store.forgetHandler(name));
  }

  private AdminAction steer(Kind kind, String target, ActionRun run, Predicate<AdminStore> change) {
    AdminAction done = actions.once(kind, target, run, (store, action) -> change.test(store));
    if (done.entries() > 0) {
      setting.steered().run();
    }
    return done;
  }

  private String checked(int partition) {
    int count = setting.partitions().getAsInt();
    if (partition < 0 || partition >= count) {
      throw new IllegalArgumentException(
          "partition was %d but must be between 0 and %d".formatted(partition, count - 1));
    }
    return Integer.toString(partition);
  }

  static void checkName(String handler) {
    if (handler.isBlank() || handler.length() > 100) {
      throw new IllegalArgumentException(
          "the name of a handler had %d characters but must have 1 to 100, not all blank"
              .formatted(handler.length()));
    }
  }
}
