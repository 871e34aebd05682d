/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.verification.instance.InstanceMain;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** All instances of the fleet, for what is done to each of them alike. */
final class InstanceGroup implements AutoCloseable {
  private final List<InstanceLives> instances = new ArrayList<>();
  private long supervisedAt = FaultLog.now();

  void add(InstanceLives instance) {
    instances.add(instance);
  }

  int size() {
    return instances.size();
  }

  InstanceLives first() {
    return instances.get(0);
  }

  /**
   * One after the other.
   *
   * @param turn any number
   */
  InstanceLives whoseTurnItIs(long turn) {
    return instances.get((int) (turn % instances.size()));
  }

  /** The lives that there are now. */
  Set<String> lives() {
    return instances.stream().map(InstanceLives::life).collect(Collectors.toSet());
  }

  void awaitAllJoined() throws SQLException, InterruptedException {
    for (InstanceLives instance : instances) {
      instance.awaitJoined();
    }
  }

  /** Starts what has ended by itself again. */
  void supervise() throws IOException {
    long before = supervisedAt;
    supervisedAt = FaultLog.now();
    for (InstanceLives instance : instances) {
      instance.revive(before);
    }
  }

  void tellAll(String line) throws IOException {
    for (InstanceLives instance : instances) {
      instance.tell(line);
    }
  }

  /** No instance publishes from now on, not even one that is started later. */
  void rest() throws IOException {
    instances.forEach(InstanceLives::rest);
    supervise();
    tellAll(InstanceMain.QUIET);
  }

  boolean quiet() {
    return instances.stream().allMatch(instance -> instance.current().quiet());
  }

  /** Lets them publish again after a rest. */
  void resume() throws IOException, InterruptedException {
    for (InstanceLives instance : instances) {
      instance.resume();
    }
  }

  void endAtLast() throws IOException, InterruptedException {
    for (InstanceLives instance : instances) {
      instance.endAtLast();
    }
  }

  /** The database is at another port from now on. */
  void leadTo(int port) {
    instances.forEach(instance -> instance.proxy().leadTo(port));
  }

  @Override
  public void close() {
    instances.forEach(InstanceLives::close);
  }
}
