/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import static java.util.Objects.requireNonNull;

import io.posthorn.servers.DatabaseServer;
import io.posthorn.servers.PostgresServer;
import io.posthorn.verification.check.Verdict;
import io.posthorn.verification.instance.InstanceMain;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Application instances in JVMs of their own on one database, and what they depend on: each can be
 * made to fail, and all faults are noted. One thread only.
 */
public final class Fleet implements AutoCloseable {
  /** The longest heartbeat interval. */
  private static final Duration HANDLERS_KNOWN = Duration.ofSeconds(2);

  private final ChaosDatabase chaosDatabase;
  private final FaultLog log = new FaultLog();
  private final InstanceGroup group = new InstanceGroup();
  private final AttendedSleep sleep;
  private final FaultInjector faults;
  private final FaultyDatabaseServer databaseServer;
  private final FaultyDatabase database;
  private final Neighbours neighbours;
  private final CheckAtRest checkAtRest;
  private final List<FaultyInstance> instances = new ArrayList<>();
  private @Nullable FaultyDisk disk;
  private @Nullable FaultyBroker broker;
  private @Nullable FaultyPooler pooler;

  private Fleet(
      DatabaseServer server,
      ChaosDatabase chaosDatabase,
      FleetPlan plan,
      Consumer<String> progress) {
    this.chaosDatabase = chaosDatabase;
    this.sleep = new AttendedSleep(progress, log, group);
    this.faults = new FaultInjector(plan.without(), log, sleep);
    this.databaseServer = new FaultyDatabaseServer(server, chaosDatabase, group, faults, sleep);
    this.database = new FaultyDatabase(chaosDatabase, faults, sleep);
    this.neighbours = new Neighbours(chaosDatabase, plan.partitions(), faults, sleep);
    this.checkAtRest = new CheckAtRest(plan, group, chaosDatabase, log, sleep);
  }

  /**
   * @param progress told now and then how far it is
   */
  public static Fleet start(DatabaseServer server, FleetPlan plan, Consumer<String> progress)
      throws IOException, SQLException {
    Fleet fleet =
        new Fleet(
            server,
            ChaosDatabase.create(plan.database(), server, plan.partitions()),
            plan,
            progress);
    try {
      fleet.startExtras(server, plan);
      fleet.startInstances(plan);
      return fleet;
    } catch (IOException | SQLException | RuntimeException e) {
      try (fleet) {
        throw e;
      }
    }
  }

  private void startExtras(DatabaseServer server, FleetPlan plan) throws IOException, SQLException {
    if (plan.has(FleetPlan.Extra.SMALL_DISK)) {
      disk = FaultyDisk.mount(chaosDatabase, faults, sleep);
    }
    if (plan.has(FleetPlan.Extra.BROKER)) {
      broker = FaultyBroker.start(plan, faults, sleep);
    }
    if (plan.has(FleetPlan.Extra.POOLER)) {
      pooler = FaultyPooler.start((PostgresServer) server, faults);
    }
  }

  private void startInstances(FleetPlan plan) throws IOException {
    InstanceLauncher launcher =
        new InstanceLauncher(plan, chaosDatabase, databaseServer, pooler, broker);
    for (Member member : plan.members()) {
      InstanceLives lives = InstanceLives.begin(member, launcher, chaosDatabase, log, sleep);
      group.add(lives);
      instances.add(new FaultyInstance(lives, faults, sleep));
    }
  }

  /** Lets them publish when all take part, and each knows the handlers of the others. */
  public void beginWriting() throws IOException, SQLException, InterruptedException {
    awaitAllJoined();
    sleep(HANDLERS_KNOWN);
    group.tellAll(InstanceMain.WRITE);
  }

  public List<FaultyInstance> instances() {
    return List.copyOf(instances);
  }

  public FaultyInstance instance(String name) {
    return instances.stream().filter(it -> it.name().equals(name)).findFirst().orElseThrow();
  }

  /** Those to whom something may be done. */
  public List<FaultyInstance> victims() {
    return instances.stream().filter(it -> !it.name().equals(Member.STEADY)).toList();
  }

  public FaultyDatabase database() {
    return database;
  }

  public FaultyDatabaseServer databaseServer() {
    return databaseServer;
  }

  /** Other sessions on the same server. */
  public Neighbours neighbours() {
    return neighbours;
  }

  /** There is one only if the plan has it, as with the pooler and the disk. */
  public FaultyBroker broker() {
    return requireNonNull(broker, "broker");
  }

  public FaultyPooler pooler() {
    return requireNonNull(pooler, "pooler");
  }

  public FaultyDisk disk() {
    return requireNonNull(disk, "disk");
  }

  /** Where the database is, past all proxies. */
  public String url() {
    return chaosDatabase.url();
  }

  /** Waits until all take part: a deployment does not go on before that. */
  public void awaitAllJoined() throws SQLException, InterruptedException {
    group.awaitAllJoined();
  }

  /** Waits until those that are alive have all partitions. */
  public void awaitAllTakenOver() throws SQLException, InterruptedException {
    chaosDatabase.awaitOwners(group.lives());
  }

  /** Starts what has ended by itself again. */
  public void supervise() throws IOException {
    group.supervise();
  }

  public void sleep(Duration time) throws InterruptedException {
    sleep.sleep(time);
  }

  /**
   * Lets everything come to rest, and compares the histories. If all promises were kept, they are
   * forgotten, and everything goes on: so a run can be as long as one likes.
   */
  public Verdict check() throws IOException, SQLException, InterruptedException {
    return checkAtRest.checkAndGoOn();
  }

  /** Lets everything come to rest, stops all instances, and compares the histories. */
  public Verdict finish() throws IOException, SQLException, InterruptedException {
    return checkAtRest.checkAtLast();
  }

  @Override
  public void close() throws IOException {
    group.close();
    neighbours.close();
    if (broker != null) {
      broker.close();
    }
    if (pooler != null) {
      pooler.close();
    }
    databaseServer.close();
    if (disk != null) {
      disk.close();
    }
  }
}
