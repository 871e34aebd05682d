/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import static java.util.Objects.requireNonNull;

import io.posthorn.servers.PostgresServer;
import io.posthorn.verification.check.Bounds;
import io.posthorn.verification.check.Checker;
import io.posthorn.verification.check.Fault;
import io.posthorn.verification.check.Verdict;
import io.posthorn.verification.history.History;
import io.posthorn.verification.history.Receiver;
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
  private static final Duration CRASH_PATIENCE = Duration.ofSeconds(20);

  /** The longest heartbeat interval. */
  private static final Duration HANDLERS_KNOWN = Duration.ofSeconds(2);

  private static final Duration BETWEEN_WORDS = Duration.ofSeconds(10);
  private static final Duration BETWEEN_UNBLOCKS = Duration.ofSeconds(2);

  private final PostgresServer server;
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
   * @param outages whether the destination of a handler is down now and then
   * @param waits the longest wait in milliseconds that each kind of fault may cause
   * @param without kinds of faults that are left out: time passes in their place
   */
  public record Plan(
      Path directory,
      long seed,
      int partitions,
      List<Member> members,
      boolean outages,
      Map<Fault.Kind, Long> waits,
      Set<Fault.Kind> without) {}

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
    for (Member member : plan.members()) {
      fleet.seats.put(member.name(), new Seat(member, FaultProxy.start(server.port())));
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
            member.tuning());
    seat.begin(Instance.start(settings, database.urlThrough(seat.proxy, settings.life())));
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
    seat.proxy = FaultProxy.start(server.port());
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
    long end = System.nanoTime() + DRAIN_PATIENCE.toNanos();
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
        && database.instances() == seats.size();
  }

  @Override
  public void close() {
    for (Seat seat : seats.values()) {
      try {
        seat.instance().kill();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      seat.proxy.close();
    }
  }
}
