/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.scenario;

import io.posthorn.servers.PgBouncerServer;
import io.posthorn.servers.RabbitServer;
import io.posthorn.verification.check.Fault;
import io.posthorn.verification.database.TestedDatabase;
import io.posthorn.verification.database.TestedDatabases;
import io.posthorn.verification.fleet.FaultProxy.Direction;
import io.posthorn.verification.fleet.FaultyInstance;
import io.posthorn.verification.fleet.Fleet;
import io.posthorn.verification.fleet.FleetPlan;
import io.posthorn.verification.fleet.Member;
import io.posthorn.verification.fleet.SmallDisk;
import io.posthorn.verification.history.Nature;
import io.posthorn.verification.instance.CrashPoint;
import io.posthorn.verification.instance.Tuning;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/** All scenarios by name. */
public enum Scenarios {
  KILL("one of three relays is killed every few seconds", Scenarios::kill),
  FREEZE("a relay is frozen for twice its lease, then woken", Scenarios::freeze),
  ROLLING("clean restarts, one instance after the other", Scenarios::rolling),
  ALL_KILLED("all instances are killed at once", Scenarios::allKilled),
  RELAPSE(
      "all instances are killed again and again, each time when they have just taken over",
      Scenarios::relapse),
  DATABASE_STOP(
      "the database is restarted in the orderly way",
      (fleet, random, end) -> restartDatabase(fleet, random, end, false)),
  DATABASE_CRASH(
      "the database crashes and comes back",
      (fleet, random, end) -> restartDatabase(fleet, random, end, true)),
  TERMINATE("sessions are ended by the server at random", Scenarios::terminate),
  PARTITION(
      "an instance and the database do not hear each other",
      (fleet, random, end) -> cut(fleet, random, end, List.of(Set.of(Direction.values())))),
  ONE_WAY(
      "an instance or the database is not heard by the other",
      (fleet, random, end) ->
          cut(
              fleet,
              random,
              end,
              List.of(Set.of(Direction.TO_DATABASE), Set.of(Direction.TO_INSTANCE)))),
  HALF_OPEN(
      "an instance is gone, and the database does not notice for a while", Scenarios::halfOpen),
  RESET("connections are reset", Scenarios::reset),
  LATENCY("each packet takes 200 ms", Scenarios::latency),
  POOL("a program takes all connections of its pool", Scenarios::pool),
  SKEW("wall clocks are ten minutes off, and relays are killed", Scenarios::kill),
  STEPS("an instance ends itself between each pair of steps", Scenarios::steps),
  HANG("handlers hang until they are interrupted", Scenarios::kill),
  KILLER("a message kills each JVM that handles it", Scenarios::supervise),
  REFUSED_SETTLES(
      "outcomes cannot be stored: the disk is full, or statements take too long",
      Scenarios::refuse),
  CHURN("1,000 partitions, instances come and go", Scenarios::rolling),
  VERSIONS(
      "two versions with different handlers, now and then one of them away, then all upgraded",
      Scenarios::versions),
  PROMOTION(
      "the database fails over to a standby that has every commit",
      (fleet, random, end) -> Surroundings.failOver(fleet, random, end, true)),
  LAGGING_PROMOTION(
      "the database fails over to a standby that lacks the last commits",
      (fleet, random, end) -> Surroundings.failOver(fleet, random, end, false)),
  RESTORE("an older state of the database is brought back while all run", Surroundings::restore),
  OLD_SNAPSHOT(
      "a session keeps a snapshot while rows die and instances are restarted",
      Surroundings::oldSnapshot),
  OPEN_TRANSACTION(
      "a writing and a prepared transaction stay open while relays are killed",
      Surroundings::openTransaction),
  POOLER("PgBouncer in transaction mode is between all and the database", Surroundings::pooler),
  MAINTENANCE(
      "tables are rewritten, altered and indexed anew while relays are killed",
      Surroundings::maintain),
  ROLE_TIMEOUTS(
      "the role has short timeouts, and other sessions lock tables", Surroundings::roleTimeouts),
  CONNECTIONS("other sessions take all connections of the server", Surroundings::connections),
  DISK_FULL("the disk of the tables is full, and freed again", Surroundings::diskFull),
  BROKERS(
      "Kafka and instances are stopped, killed and frozen; consumers count effects by an inbox",
      Surroundings::brokers),
  RABBITMQ("the same with RabbitMQ", Surroundings::brokers),
  RECOVERY("one fault after the other, each with time to recover", Scenarios::recovery),
  MIX(
      "faults of instances, network and database, in an order that the seed decides",
      Scenarios::mix),
  NEIGHBOURS("the same, with standbys, maintenance and other sessions", Scenarios::neighbours);

  private static final Set<Scenarios> POSTGRESQL_ONLY =
      EnumSet.of(
          PROMOTION,
          LAGGING_PROMOTION,
          RESTORE,
          OLD_SNAPSHOT,
          OPEN_TRANSACTION,
          POOLER,
          MAINTENANCE,
          ROLE_TIMEOUTS,
          CONNECTIONS,
          DISK_FULL,
          NEIGHBOURS);

  private static final int STANDARD_PARTITIONS = 64;
  private static final int MANY_PARTITIONS = 1_000;
  private static final List<Integer> PARTITIONS = List.of(1, 64, 64, 1_024);
  private static final Set<String> OLD_HANDLERS = Set.of("bill", "ledger", "audit");
  private static final Set<String> NEW_HANDLERS = Set.of("ship", "search", "gateway");

  /** So low that a backlog is worked off at once, and waits have no other reason than the fault. */
  private static final int MEASURED_RATE = 20;

  private static final long AFTER_STOP = 1_000;
  private static final long AFTER_DATABASE = 2_000;
  private static final Duration SKEW_TIME = Duration.ofMinutes(10);

  /** More deaths of its owner than one, and the messages of a partition are watched. */
  private static final int DEATHS = 3;

  /** So long a relay is paused before it is cut off, and goes on when its lease is over. */
  private static final Duration FILLS_MEMORY = Duration.ofMillis(1_500);

  private final String title;
  private final Scenario scenario;

  Scenarios(String title, Scenario scenario) {
    this.title = title;
    this.scenario = scenario;
  }

  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public String title() {
    return title;
  }

  public static Optional<Scenarios> named(String label) {
    return Arrays.stream(values()).filter(it -> it.label().equals(label)).findFirst();
  }

  public void run(Fleet fleet, Random random, Duration duration) throws Exception {
    scenario.run(fleet, random, System.nanoTime() + duration.toNanos());
  }

  /**
   * @param random by the seed
   */
  public int partitions(Random random) {
    int drawn = PARTITIONS.get(random.nextInt(PARTITIONS.size()));
    return switch (this) {
      case CHURN -> MANY_PARTITIONS;
      case RECOVERY, STEPS -> STANDARD_PARTITIONS; // all of them have some
      default -> drawn;
    };
  }

  /** What there is beside the instances and the database. */
  public Set<FleetPlan.Extra> extras() {
    return switch (this) {
      case POOLER -> Set.of(FleetPlan.Extra.POOLER);
      case BROKERS -> Set.of(FleetPlan.Extra.BROKER);
      case RABBITMQ -> Set.of(FleetPlan.Extra.BROKER, FleetPlan.Extra.RABBITMQ);
      case DISK_FULL -> Set.of(FleetPlan.Extra.SMALL_DISK);
      default -> Set.of();
    };
  }

  /** Whether all that is done in it can be done to a database. */
  public boolean runsOn(TestedDatabase database) {
    return database == TestedDatabases.POSTGRESQL || !POSTGRESQL_ONLY.contains(this);
  }

  /** What this machine lacks for it; empty if it can be run. */
  public String lacks() {
    return switch (this) {
      case POOLER ->
          PgBouncerServer.installed() ? "" : "the Debian package \"pgbouncer\" is not installed";
      case RABBITMQ ->
          RabbitServer.installed() ? "" : "the Debian package \"rabbitmq-server\" is not installed";
      case DISK_FULL -> SmallDisk.possible() ? "" : "only root can mount a file system to fill";
      default -> "";
    };
  }

  /** Whether the destination of a handler is down now and then. */
  public boolean outages() {
    return this != RECOVERY;
  }

  /**
   * @param random by the seed
   */
  public List<Member> members(Random random) {
    if (this == RECOVERY) {
      return members();
    }
    return members().stream()
        .map(member -> member.tuned(Tuning.draw(random)))
        .map(member -> random.nextInt(5) < 2 && operators() ? member.operated() : member)
        .toList();
  }

  /**
   * Whether operators may act. Where commits are lost, what they did may be lost as well; what they
   * do to messages for a broker is not known.
   */
  private boolean operators() {
    return this != LAGGING_PROMOTION
        && this != RESTORE
        && !extras().contains(FleetPlan.Extra.BROKER);
  }

  private List<Member> members() {
    Member a = Member.of("a");
    Member b = Member.of("b");
    Member c = Member.of("c");
    return switch (this) {
      case SKEW -> List.of(a.skewedBy(SKEW_TIME), b.skewedBy(SKEW_TIME.negated()), c);
      case HANG -> List.of(a.sending(Set.of(Nature.HANGS)), b, c);
      case MIX, NEIGHBOURS ->
          List.of(a.sending(EnumSet.complementOf(EnumSet.of(Nature.KILLER))), b, c);
      case RECOVERY ->
          Stream.of(a, b, c).map(it -> it.sending(Set.of()).writing(MEASURED_RATE)).toList();
      case BROKERS, RABBITMQ -> Stream.of(a, b, c).map(it -> it.writing(MEASURED_RATE)).toList();
      case KILLER -> List.of(a.sending(Set.of(Nature.KILLER)).writing(10), b.silent(), c.silent());
      case VERSIONS ->
          List.of(
              a.with(OLD_HANDLERS),
              b.with(OLD_HANDLERS),
              c.with(NEW_HANDLERS),
              Member.of("d").with(NEW_HANDLERS));
      default -> List.of(a, b, c);
    };
  }

  /**
   * The longest waits in milliseconds that faults may cause, where each has time to be recovered
   * from before the next.
   */
  public Map<Fault.Kind, Long> waits() {
    if (this != RECOVERY) {
      return Map.of();
    }
    long afterKill = Tuning.STANDARD.lease().plus(Tuning.STANDARD.heartbeat()).toMillis();
    return Map.of(
        Fault.Kind.STOP, AFTER_STOP,
        Fault.Kind.KILL, afterKill,
        Fault.Kind.DATABASE_STOP, AFTER_DATABASE,
        Fault.Kind.DATABASE_CRASH, AFTER_DATABASE);
  }

  // --- what is done

  static boolean over(long end) {
    return System.nanoTime() - end >= 0;
  }

  static FaultyInstance one(Fleet fleet, Random random) {
    return fleet.victims().get(random.nextInt(fleet.victims().size()));
  }

  static Duration between(Random random, int least, int most) {
    return Duration.ofMillis(least + random.nextInt(most - least));
  }

  static void kill(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 1_000, 4_000));
      FaultyInstance victim = one(fleet, random);
      victim.kill();
      fleet.sleep(between(random, 0, 2_000));
      victim.start();
    }
  }

  private static void freeze(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 1_000, 3_000));
      FaultyInstance victim = one(fleet, random);
      victim.freeze(victim.lease().multipliedBy(2));
    }
  }

  private static void rolling(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      roll(fleet, random);
    }
  }

  private static void roll(Fleet fleet, Random random) throws Exception {
    for (FaultyInstance instance : fleet.instances()) {
      fleet.sleep(between(random, 500, 2_000));
      instance.stop();
      instance.startAndWait();
    }
  }

  /**
   * What a version does not know waits until the partition belongs to one that does, also while
   * nobody of that version is there.
   */
  private static void versions(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 500, 2_000));
      int half = fleet.instances().size() / 2;
      int from = random.nextBoolean() ? 0 : half;
      boolean killed = random.nextBoolean();
      List<FaultyInstance> version = fleet.instances().subList(from, from + half);
      for (FaultyInstance instance : version) {
        if (killed) {
          instance.kill();
        } else {
          instance.stop();
        }
      }
      fleet.sleep(between(random, 0, 8_000));
      for (FaultyInstance instance : version) {
        instance.start();
      }
      fleet.awaitAllJoined();
      roll(fleet, random);
    }
    for (FaultyInstance instance : fleet.instances()) {
      instance.upgrade();
    }
  }

  private static void allKilled(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 3_000, 6_000));
      for (FaultyInstance instance : fleet.instances()) {
        instance.kill();
      }
      for (FaultyInstance instance : fleet.instances()) {
        instance.start();
      }
    }
  }

  /**
   * Nobody delivers until the leases of the dead end, so each time there is more than fits into
   * memory, and what the dead had in memory is partly deferred, partly ready.
   */
  private static void relapse(Fleet fleet, Random random, long end) throws Exception {
    do {
      for (int death = 0; death < DEATHS; death++) {
        fleet.sleep(between(random, 100, 1_000));
        for (FaultyInstance instance : fleet.instances()) {
          instance.kill();
        }
        for (FaultyInstance instance : fleet.instances()) {
          instance.start();
        }
        fleet.awaitAllTakenOver();
      }
      fleet.sleep(FILLS_MEMORY.multipliedBy(2));
    } while (!over(end));
  }

  private static void restartDatabase(Fleet fleet, Random random, long end, boolean crash)
      throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 3_000, 6_000));
      fleet.databaseServer().restart(crash, between(random, 0, 3_000));
    }
  }

  private static void terminate(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 500, 2_000));
      fleet.database().terminateSessions(0.1 + random.nextDouble() / 2);
    }
  }

  private static void cut(Fleet fleet, Random random, long end, List<Set<Direction>> choices)
      throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 1_000, 3_000));
      Set<Direction> directions = choices.get(random.nextInt(choices.size()));
      FaultyInstance victim = one(fleet, random);
      Duration time = between(random, 500, 9_000);
      if (random.nextBoolean()) {
        victim.pauseRelay(FILLS_MEMORY.plus(victim.lease()).plusSeconds(2));
        fleet.sleep(FILLS_MEMORY);
        time = victim.lease().plus(between(random, 3_000, 6_000)); // it goes on before that is over
      }
      victim.cut(directions, time);
    }
  }

  private static void halfOpen(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 1_000, 3_000));
      one(fleet, random).vanish(between(random, 1_000, 8_000));
    }
  }

  private static void reset(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 200, 1_500));
      one(fleet, random).reset();
    }
  }

  private static void latency(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 500, 2_000));
      one(fleet, random).latency(Duration.ofMillis(200), between(random, 3_000, 8_000));
    }
  }

  private static void pool(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 500, 2_000));
      one(fleet, random).drainPool(between(random, 1_000, 6_000));
    }
  }

  /** All of them, however long it takes: none is left to chance. */
  private static void steps(Fleet fleet, Random random, long end) throws Exception {
    for (CrashPoint.Step step : CrashPoint.Step.values()) {
      fleet.instance("a").crashAt(step, step.isRare() ? 0 : random.nextInt(20));
      fleet.sleep(Duration.ofMillis(500));
    }
  }

  private static void supervise(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(Duration.ofMillis(100));
      fleet.supervise();
    }
  }

  private static void refuse(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 1_000, 3_000));
      fleet.database().refuseSettles(random.nextBoolean(), between(random, 500, 3_000));
    }
  }

  /** Whatever waits longer than it should, waits because of one fault. */
  private static void recovery(Fleet fleet, Random random, long end) throws Exception {
    Duration quiet = Tuning.STANDARD.lease().multipliedBy(3);
    fleet.sleep(quiet);
    do {
      FaultyInstance victim = one(fleet, random);
      victim.kill();
      fleet.sleep(quiet);
      victim.start();
      fleet.sleep(quiet);
      victim.stop();
      fleet.sleep(quiet);
      victim.start();
      fleet.sleep(quiet);
      fleet.databaseServer().restart(random.nextBoolean(), between(random, 500, 2_000));
      fleet.sleep(quiet);
    } while (!over(end));
  }

  private static void mix(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 200, 2_000));
      fleet.supervise();
      mixOne(fleet, random);
    }
  }

  private static void neighbours(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 200, 2_000));
      fleet.supervise();
      if (random.nextInt(3) == 0) {
        Surroundings.disturb(fleet, random);
      } else {
        mixOne(fleet, random);
      }
    }
  }

  private static void mixOne(Fleet fleet, Random random) throws Exception {
    FaultyInstance victim = one(fleet, random);
    switch (random.nextInt(12)) {
      case 0, 1 -> {
        victim.kill();
        victim.start();
      }
      case 2 -> {
        victim.stop();
        victim.start();
      }
      case 3 -> victim.freeze(victim.lease().multipliedBy(3).dividedBy(2));
      case 4 -> fleet.databaseServer().restart(random.nextBoolean(), between(random, 0, 1_000));
      case 5 -> fleet.database().terminateSessions(0.3);
      case 6 -> victim.cut(Set.of(Direction.values()), between(random, 500, 6_000));
      case 7 -> victim.cut(Set.of(Direction.TO_INSTANCE), between(random, 500, 6_000));
      case 8 -> victim.reset();
      case 9 -> victim.vanish(between(random, 500, 6_000));
      case 10 -> fleet.database().refuseSettles(random.nextBoolean(), between(random, 500, 2_000));
      default -> victim.latency(Duration.ofMillis(100), between(random, 500, 3_000));
    }
  }
}
