/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import static java.util.Objects.requireNonNull;

import io.posthorn.servers.KafkaServer;
import io.posthorn.servers.PgBouncerServer;
import io.posthorn.servers.PostgresBackup;
import io.posthorn.servers.PostgresServer;
import io.posthorn.verification.check.Bounds;
import io.posthorn.verification.check.Checker;
import io.posthorn.verification.check.Fault;
import io.posthorn.verification.check.Verdict;
import io.posthorn.verification.history.History;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.instance.ChaosTables;
import io.posthorn.verification.instance.CrashPoint;
import io.posthorn.verification.instance.InstanceMain;
import io.posthorn.verification.instance.InstanceSettings;
import io.posthorn.verification.instance.Tuning;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Application instances in JVMs of their own on one database, and all that can be done to them.
 * What is done is noted. One thread only.
 */
public final class Fleet implements AutoCloseable {
  private static final Duration DRAIN_PATIENCE = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final int LOOKS_PER_TIDYING = 20;
  private static final Duration JOIN_PATIENCE = Duration.ofSeconds(60);
  private static final Duration CONSUMER_PATIENCE = Duration.ofSeconds(20);
  private static final Duration CRASH_PATIENCE = Duration.ofSeconds(20);

  /** The longest heartbeat interval. */
  private static final Duration HANDLERS_KNOWN = Duration.ofSeconds(2);

  /**
   * Before version 1.21 PgBouncer knows nothing of prepared statements; a session's name that is
   * not in the startup packet may be lost or that of another instance.
   */
  private static final String BEHIND_POOLER = "&prepareThreshold=0&assumeMinServerVersion=16";

  private static final Duration BETWEEN_WORDS = Duration.ofSeconds(10);
  private static final Duration BETWEEN_UNBLOCKS = Duration.ofSeconds(2);

  private PostgresServer server;
  private @Nullable Standby standby;
  private @Nullable PgBouncerServer pooler;
  private @Nullable KafkaServer broker;
  private long unconsumed;
  private long unconsumedSince = now();
  private @Nullable SmallDisk disk;
  private final Neighbours neighbours;
  private final ChaosDatabase database;
  private final Plan plan;
  private final Consumer<String> progress;
  private final long begun = now();
  private long toldAt = begun;
  private long unblockedAt = begun;
  private final Map<String, Seat> seats = new LinkedHashMap<>();
  private final List<Fault> faults = new ArrayList<>();
  private long supervisedAt = now();
  private boolean ending;

  /**
   * What is wanted.
   *
   * @param directory for the histories and logs
   * @param extras what there is beside the instances and the database
   * @param outages whether the destination of a handler is down now and then
   * @param waits the longest wait in milliseconds that each kind of fault may cause
   * @param without kinds of faults that are left out: time passes in their place
   */
  public record Plan(
      Path directory,
      long seed,
      int partitions,
      List<Member> members,
      Set<Extra> extras,
      boolean outages,
      Map<Fault.Kind, Long> waits,
      Set<Fault.Kind> without) {}

  /** What else is started. */
  public enum Extra {
    /** A connection pooler between all instances and the database. */
    POOLER,
    /** A broker that all messages are sent to, with consumers in all instances. */
    BROKER,
    /** A disk of its own for all tables. */
    SMALL_DISK
  }

  /** The place of a member: its proxy, and the life that is there now. */
  private static final class Seat {
    FaultProxy proxy;
    Member member;
    int lives;
    private @Nullable Instance instance;

    Seat(Member member, FaultProxy proxy) {
      this.member = member;
      this.proxy = proxy;
    }

    void begin(Instance life) {
      instance = life;
      lives++;
    }

    Instance instance() {
      return requireNonNull(instance, "instance");
    }
  }

  private Fleet(
      PostgresServer server, ChaosDatabase database, Plan plan, Consumer<String> progress) {
    this.server = server;
    this.database = database;
    this.neighbours = new Neighbours(database);
    this.plan = plan;
    this.progress = progress;
  }

  /**
   * @param progress told now and then how far it is
   */
  public static Fleet start(PostgresServer server, Plan plan, Consumer<String> progress)
      throws IOException, SQLException {
    Fleet fleet =
        new Fleet(server, ChaosDatabase.create(server, plan.partitions()), plan, progress);
    if (plan.extras().contains(Extra.SMALL_DISK)) {
      fleet.disk = SmallDisk.mount();
      fleet.database.moveTables(fleet.disk.place());
    }
    if (plan.extras().contains(Extra.BROKER)) {
      fleet.broker = new KafkaServer().withSetting("message.max.bytes", "2000000");
      fleet.broker.start();
    }
    if (plan.extras().contains(Extra.POOLER)) {
      fleet.pooler = new PgBouncerServer(server);
      fleet.pooler.start();
    }
    for (Member member : plan.members()) {
      fleet.seats.put(member.name(), new Seat(member, FaultProxy.start(fleet.port())));
      fleet.begin(member.name(), "");
    }
    return fleet;
  }

  /** Lets them publish when all take part, and each knows the handlers of the others. */
  public void beginWriting() throws IOException, SQLException, InterruptedException {
    awaitAllJoined();
    sleep(HANDLERS_KNOWN);
    for (Seat seat : seats.values()) {
      seat.instance().send(InstanceMain.WRITE);
    }
  }

  /** Where the database is for the instances. */
  private int port() {
    return pooler == null ? server.port() : pooler.port();
  }

  private static long now() {
    return System.currentTimeMillis();
  }

  private Seat seat(String name) {
    return requireNonNull(seats.get(name), name);
  }

  public List<String> names() {
    return List.copyOf(seats.keySet());
  }

  /** Those to whom something may be done. */
  public List<String> victims() {
    return names().stream().filter(name -> !name.equals(Member.STEADY)).toList();
  }

  /** Where the database is, past all proxies. */
  public String url() {
    return database.url();
  }

  /** How long a heartbeat of this instance is good for. */
  public Duration lease(String name) {
    return seat(name).member.tuning().lease();
  }

  public List<Fault> faults() {
    return List.copyOf(faults);
  }

  private void note(Fault.Kind kind, String name, long from) {
    faults.add(new Fault(kind, seat(name).instance().life(), from, now()));
  }

  private void noteOfAll(Fault.Kind kind, long from) {
    faults.add(new Fault(kind, null, from, now()));
  }

  /** Whether such faults are left out; then the time passes that it would have taken. */
  private boolean leavesOut(Fault.Kind kind, Duration time) throws InterruptedException {
    boolean out = plan.without().contains(kind);
    if (out) {
      sleep(time);
    }
    return out;
  }

  // --- instances

  /** Starts it, unless its end was left out. */
  public void start(String name) throws IOException {
    if (!seat(name).instance().alive()) {
      start(name, "");
    }
  }

  private void start(String name, String crash) throws IOException {
    begin(name, crash);
    seat(name).instance().send(InstanceMain.WRITE);
  }

  private void begin(String name, String crash) throws IOException {
    Seat seat = seat(name);
    Member member = seat.member;
    int life = seat.lives + 1;
    InstanceSettings settings =
        new InstanceSettings(
            name + "#" + life,
            plan.directory(),
            plan.seed() + life * 1_000L + name.hashCode(),
            member.skew(),
            ending ? 0 : member.perSecond(),
            crash,
            life == 1 ? member.natures() : member.naturesOfLaterLives(),
            member.handlers(),
            plan.outages() ? plan.seed() * 1_000 : -1,
            member.operator() && !ending,
            broker == null ? "" : broker.bootstrapServers(),
            member.tuning());
    String url = database.urlThrough(seat.proxy, settings.life());
    seat.begin(
        Instance.start(settings, plan.extras().contains(Extra.POOLER) ? url + BEHIND_POOLER : url));
  }

  /** Starts it, and waits until it takes part, as a deployment does. */
  public void startAndWait(String name) throws IOException, SQLException, InterruptedException {
    start(name);
    awaitJoined(name);
  }

  /** Waits until all take part: a deployment does not go on before that. */
  public void awaitAllJoined() throws SQLException, InterruptedException {
    for (String name : names()) {
      awaitJoined(name);
    }
  }

  private void awaitJoined(String name) throws SQLException, InterruptedException {
    String life = seat(name).instance().life();
    long end = System.nanoTime() + JOIN_PATIENCE.toNanos();
    while (!database.hasJoined(life)) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException(life + " has not joined within " + JOIN_PATIENCE);
      }
      sleep(LOOK);
    }
  }

  /** Replaces it by a version that has all handlers. */
  public void upgrade(String name) throws IOException, SQLException, InterruptedException {
    end(name);
    Seat seat = seat(name);
    seat.member = seat.member.with(Receiver.NAMES);
    startAndWait(name);
  }

  public void kill(String name) throws InterruptedException {
    if (leavesOut(Fault.Kind.KILL, Duration.ZERO)) {
      return;
    }
    long from = now();
    seat(name).instance().kill();
    note(Fault.Kind.KILL, name, from);
  }

  /** Stops it in the orderly way. */
  public void stop(String name) throws IOException, InterruptedException {
    if (!leavesOut(Fault.Kind.STOP, Duration.ZERO)) {
      end(name);
    }
  }

  private void end(String name) throws IOException, InterruptedException {
    long from = now();
    boolean clean = seat(name).instance().stop();
    note(clean ? Fault.Kind.STOP : Fault.Kind.KILL, name, from);
  }

  /**
   * Its machine is gone, another takes its place, and the database still waits for the sessions of
   * the old one. What that had sent last may arrive when the time is over.
   */
  public void vanish(String name, Duration time) throws IOException, InterruptedException {
    if (leavesOut(Fault.Kind.KILL, time)) {
      return;
    }
    Seat seat = seat(name);
    FaultProxy old = seat.proxy;
    old.cut(Set.of(FaultProxy.Direction.values()));
    kill(name);
    seat.proxy = FaultProxy.start(port());
    start(name);
    sleep(time);
    old.close();
  }

  public void freeze(String name, Duration time) throws IOException, InterruptedException {
    if (leavesOut(Fault.Kind.FREEZE, time)) {
      return;
    }
    long from = now();
    seat(name).instance().freeze();
    sleep(time);
    seat(name).instance().thaw();
    note(Fault.Kind.FREEZE, name, from);
  }

  /** Starts what has ended by itself again. */
  public void supervise() throws IOException {
    long before = supervisedAt;
    supervisedAt = now();
    for (Map.Entry<String, Seat> seat : seats.entrySet()) {
      if (!seat.getValue().instance().alive()) {
        note(Fault.Kind.KILL, seat.getKey(), before);
        start(seat.getKey());
      }
    }
  }

  /** Starts a life that ends itself at this place, and waits until it has. */
  public void crashAt(String name, CrashPoint.Step step, int passes)
      throws IOException, InterruptedException {
    if (leavesOut(Fault.Kind.KILL, Duration.ZERO)) {
      return;
    }
    end(name);
    long from = now();
    start(name, step.after(passes));
    long end = System.nanoTime() + CRASH_PATIENCE.toNanos();
    while (seat(name).instance().alive() && System.nanoTime() < end) {
      sleep(LOOK);
    }
    if (seat(name).instance().alive()) {
      throw new IllegalStateException(name + " never came to " + step.after(passes));
    }
    note(Fault.Kind.KILL, name, from);
    start(name);
  }

  /** Its program holds all connections of its pool. */
  public void drainPool(String name, Duration time) throws IOException, InterruptedException {
    if (leavesOut(Fault.Kind.POOL, time)) {
      return;
    }
    long from = now();
    seat(name).instance().send(InstanceMain.DRAIN_POOL + time.toMillis());
    sleep(time);
    note(Fault.Kind.POOL, name, from);
  }

  // --- network

  public void cut(String name, Set<FaultProxy.Direction> directions, Duration time)
      throws InterruptedException {
    if (leavesOut(Fault.Kind.CUT, time)) {
      return;
    }
    long from = now();
    seat(name).proxy.cut(directions);
    sleep(time);
    seat(name).proxy.cut(Set.of());
    note(Fault.Kind.CUT, name, from);
  }

  public void reset(String name) throws InterruptedException {
    if (leavesOut(Fault.Kind.RESET, Duration.ZERO)) {
      return;
    }
    long from = now();
    seat(name).proxy.reset();
    note(Fault.Kind.RESET, name, from);
  }

  public void latency(String name, Duration each, Duration time) throws InterruptedException {
    if (leavesOut(Fault.Kind.LATENCY, time)) {
      return;
    }
    long from = now();
    seat(name).proxy.latency(each.toMillis());
    sleep(time);
    seat(name).proxy.latency(0);
    note(Fault.Kind.LATENCY, name, from);
  }

  // --- database

  /** Restarts the database. */
  public void restartDatabase(boolean crash, Duration away) throws InterruptedException {
    Fault.Kind kind = crash ? Fault.Kind.DATABASE_CRASH : Fault.Kind.DATABASE_STOP;
    if (leavesOut(kind, away)) {
      return;
    }
    long from = now();
    if (crash) {
      server.stopImmediate();
    } else {
      server.stop();
    }
    sleep(away);
    server.start();
    noteOfAll(kind, from);
  }

  /**
   * Gives the server a standby.
   *
   * @param synchronous whether commits wait for it from now on
   */
  public void addStandby(boolean synchronous)
      throws IOException, SQLException, InterruptedException {
    standby = Standby.start(server);
    database.awaitStandby();
    if (synchronous) {
      database.waitForStandby();
    }
  }

  /**
   * The server dies and its standby takes its place.
   *
   * @param lag how long the standby had heard nothing
   * @param away until all find the new one
   */
  public void promoteStandby(boolean synchronous, Duration lag, Duration away)
      throws SQLException, InterruptedException {
    if (leavesOut(
        synchronous ? Fault.Kind.PROMOTION : Fault.Kind.LAGGING_PROMOTION, lag.plus(away))) {
      return;
    }
    Standby successor = requireNonNull(standby, "standby");
    standby = null;
    long from = now();
    if (!lag.isZero()) {
      successor.cutOff();
      sleep(lag);
    }
    server.kill();
    PostgresServer old = server;
    server = successor.promote();
    old.close();
    sleep(away);
    database.moveTo(server);
    seats.values().forEach(seat -> seat.proxy.leadTo(server.port()));
    noteOfAll(synchronous ? Fault.Kind.PROMOTION : Fault.Kind.LAGGING_PROMOTION, from);
  }

  /** Makes a copy of the database to go back to. */
  public Copy backUp() {
    long from = now();
    return new Copy(server.backUp(), from);
  }

  /**
   * A copy of the database.
   *
   * @param from what was committed later may not be in it
   */
  public record Copy(PostgresBackup backup, long from) {}

  /** Brings an older state of the database back while everything runs. */
  public void restore(Copy copy, Duration away) throws InterruptedException {
    if (leavesOut(Fault.Kind.RESTORE, away)) {
      return;
    }
    server.restore(copy.backup());
    copy.backup().close();
    sleep(away);
    server.start();
    noteOfAll(Fault.Kind.RESTORE, copy.from());
  }

  public void killPooler() throws InterruptedException {
    if (leavesOut(Fault.Kind.POOLER_KILL, Duration.ZERO)) {
      return;
    }
    long from = now();
    PgBouncerServer killed = requireNonNull(pooler, "pooler");
    killed.kill();
    killed.start();
    noteOfAll(Fault.Kind.POOLER_KILL, from);
  }

  /** Nothing can be added to any table for a while. */
  public void fillDisk(Duration time) throws IOException, InterruptedException {
    if (leavesOut(Fault.Kind.DISK_FULL, time)) {
      return;
    }
    long from = now();
    SmallDisk full = requireNonNull(disk, "disk");
    full.fill();
    sleep(time);
    full.free();
    noteOfAll(Fault.Kind.DISK_FULL, from);
  }

  // --- the broker

  public void restartBroker(boolean kill, Duration away) throws InterruptedException {
    if (leavesOut(kill ? Fault.Kind.BROKER_KILL : Fault.Kind.BROKER_STOP, away)) {
      return;
    }
    long from = now();
    KafkaServer restarted = requireNonNull(broker, "broker");
    if (kill) {
      restarted.kill();
    } else {
      restarted.stop();
    }
    sleep(away);
    restarted.start();
    noteOfAll(kill ? Fault.Kind.BROKER_KILL : Fault.Kind.BROKER_STOP, from);
  }

  public void freezeBroker(Duration time) throws InterruptedException {
    if (leavesOut(Fault.Kind.BROKER_FREEZE, time)) {
      return;
    }
    long from = now();
    KafkaServer frozen = requireNonNull(broker, "broker");
    frozen.freeze();
    sleep(time);
    frozen.thaw();
    noteOfAll(Fault.Kind.BROKER_FREEZE, from);
  }

  // --- neighbours

  /** Somebody keeps a snapshot to the end, while many rows die. */
  public void keepSnapshot() throws SQLException, InterruptedException {
    if (leavesOut(Fault.Kind.OLD_SNAPSHOT, Duration.ZERO)) {
      return;
    }
    neighbours.keepSnapshot();
    noteOfAll(Fault.Kind.OLD_SNAPSHOT, now());
  }

  public void leaveDeadRows(int count) throws SQLException {
    neighbours.leaveDeadRows(plan.partitions(), count);
  }

  /** Somebody keeps a transaction to the end. */
  public void keepTransaction() throws SQLException, InterruptedException {
    if (leavesOut(Fault.Kind.OPEN_TRANSACTION, Duration.ZERO)) {
      return;
    }
    neighbours.keepTransaction();
    noteOfAll(Fault.Kind.OPEN_TRANSACTION, now());
  }

  /** The same, and nobody knows whose it is. */
  public void keepPrepared() throws SQLException, InterruptedException {
    if (leavesOut(Fault.Kind.PREPARED_TRANSACTION, Duration.ZERO)) {
      return;
    }
    neighbours.keepPrepared();
    noteOfAll(Fault.Kind.PREPARED_TRANSACTION, now());
  }

  public void lock(String table, Duration time) throws SQLException, InterruptedException {
    if (leavesOut(Fault.Kind.LOCK, time)) {
      return;
    }
    long from = now();
    neighbours.lock(table, time);
    noteOfAll(Fault.Kind.LOCK, from);
  }

  /** Somebody takes all connections of the server, and an instance starts that needs some. */
  public void takeConnections(String name, Duration time) throws Exception {
    if (leavesOut(Fault.Kind.CONNECTIONS, time) || leavesOut(Fault.Kind.KILL, time)) {
      return;
    }
    kill(name);
    long from = now();
    neighbours.takeConnections(
        () -> {
          start(name);
          sleep(time);
          return name;
        });
    noteOfAll(Fault.Kind.CONNECTIONS, from);
  }

  /** Sets timeouts of the role, by the names of the settings. */
  public void limitRole(Map<String, Duration> timeouts) throws SQLException, InterruptedException {
    if (leavesOut(Fault.Kind.ROLE_TIMEOUTS, Duration.ZERO)) {
      return;
    }
    long from = now();
    for (Map.Entry<String, Duration> timeout : timeouts.entrySet()) {
      database.limitRole(timeout.getKey(), timeout.getValue());
    }
    database.terminateSome(1);
    noteOfAll(Fault.Kind.ROLE_TIMEOUTS, from);
  }

  /** What those do who look after the database. */
  public void maintain(String statement) throws SQLException, InterruptedException {
    if (leavesOut(Fault.Kind.MAINTENANCE, Duration.ZERO)) {
      return;
    }
    long from = now();
    database.maintain(statement);
    noteOfAll(Fault.Kind.MAINTENANCE, from);
  }

  public void terminateSessions(double share) throws SQLException, InterruptedException {
    if (leavesOut(Fault.Kind.TERMINATE, Duration.ZERO)) {
      return;
    }
    long from = now();
    database.terminateSome(share);
    noteOfAll(Fault.Kind.TERMINATE, from);
  }

  /**
   * Lets the database fail to store outcomes.
   *
   * @param slowly whether each statement fails by a timeout, or at once
   */
  public void refuseSettles(boolean slowly, Duration time)
      throws SQLException, InterruptedException {
    if (leavesOut(Fault.Kind.REFUSED_SETTLES, time)) {
      return;
    }
    long from = now();
    database.refuseSettles(slowly ? ChaosDatabase.Refusal.TIMEOUT : ChaosDatabase.Refusal.DISK);
    sleep(time);
    database.refuseSettles(ChaosDatabase.Refusal.NONE);
    noteOfAll(Fault.Kind.REFUSED_SETTLES, from);
  }

  public void sleep(Duration time) throws InterruptedException {
    long left = time.toMillis();
    while (left > 0) {
      long nap = Math.min(left, BETWEEN_WORDS.toMillis());
      Thread.sleep(nap);
      left -= nap;
      unblock();
      if (now() - toldAt >= BETWEEN_WORDS.toMillis()) {
        toldAt = now();
        progress.accept("%d s, %d faults".formatted((toldAt - begun) / 1_000, faults.size()));
      }
    }
  }

  /** Now and then somebody deals with lanes that dead letters have blocked. */
  private void unblock() {
    if (now() - unblockedAt < BETWEEN_UNBLOCKS.toMillis()) {
      return;
    }
    unblockedAt = now();
    int turn = (int) (unblockedAt / BETWEEN_UNBLOCKS.toMillis() % seats.size());
    Instance instance = seat(names().get(turn)).instance();
    try {
      instance.send(InstanceMain.UNBLOCK);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // --- the end

  /**
   * Lets everything come to rest, and compares the histories. If all promises were kept, they are
   * forgotten, and everything goes on: so a run can be as long as one likes.
   */
  public Verdict check() throws IOException, SQLException, InterruptedException {
    if (!comeToRest()) {
      return stopAndJudge(); // what is still under way can't be compared
    }
    Verdict verdict = judge(false);
    if (verdict.kept()) {
      History.forget(
          plan.directory(),
          seats.values().stream().map(seat -> seat.instance().life()).collect(Collectors.toSet()));
      database.forget();
      faults.clear();
      ending = false;
      for (String name : names()) {
        if (seat(name).instance().mayWrite()) {
          seat(name).instance().send(InstanceMain.WRITE);
        } else if (seat(name).member.perSecond() > 0) { // it was started meanwhile
          end(name);
          start(name);
        }
      }
    }
    return verdict;
  }

  /** Lets everything come to rest, stops all instances, and compares the histories. */
  public Verdict finish() throws IOException, SQLException, InterruptedException {
    comeToRest();
    return stopAndJudge();
  }

  private Verdict stopAndJudge() throws IOException, SQLException, InterruptedException {
    for (String name : names()) {
      long from = now();
      if (!seat(name).instance().stop()) {
        note(Fault.Kind.KILL, name, from);
      }
    }
    return judge(true);
  }

  /** Whether everything has come to rest in time. */
  private boolean comeToRest() throws IOException, SQLException, InterruptedException {
    ending = true;
    supervise();
    for (Seat seat : seats.values()) {
      seat.instance().send(InstanceMain.QUIET);
    }
    long end = System.nanoTime() + ClassPath.patience(DRAIN_PATIENCE).toNanos();
    for (int look = 0; !atRest() && System.nanoTime() < end; look++) {
      if (look % LOOKS_PER_TIDYING == 0) {
        seat(names().get(0)).instance().send(InstanceMain.TIDY);
      }
      sleep(LOOK);
      supervise();
    }
    return atRest();
  }

  private Verdict judge(boolean stopped) throws IOException, SQLException {
    History history = database.history(plan.directory(), stopped);
    return new Checker(
            new Bounds(
                EnumSet.allOf(Receiver.class),
                broker == null ? Set.of() : ChaosTables.CONSUMERS,
                Tuning.MOST_WORKERS,
                InstanceSettings.WINDOW,
                plan.waits()),
            history,
            faults)
        .judge();
  }

  /** Nobody publishes, everything is settled, and who has died is known to be dead. */
  private boolean atRest() throws SQLException {
    return seats.values().stream().allMatch(seat -> seat.instance().quiet())
        && database.pending() == 0
        && database.instances() == seats.size()
        && (broker == null || consumed());
  }

  /** Consumers have had everything, or nothing more comes: what has expired never does. */
  private boolean consumed() throws SQLException {
    long missing = database.unconsumed();
    if (missing != unconsumed) {
      unconsumed = missing;
      unconsumedSince = now();
    }
    return missing == 0 || now() - unconsumedSince > CONSUMER_PATIENCE.toMillis();
  }

  @Override
  public void close() throws IOException {
    for (Seat seat : seats.values()) {
      try {
        seat.instance().kill();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      seat.proxy.close();
    }
    neighbours.close();
    if (standby != null) {
      standby.close();
    }
    if (broker != null) {
      broker.close();
    }
    if (pooler != null) {
      pooler.close();
    }
    server.close(); // it may have taken the place of the first one
    if (disk != null) {
      disk.close();
    }
  }
}
