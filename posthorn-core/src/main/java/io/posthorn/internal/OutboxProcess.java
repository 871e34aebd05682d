/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal;

import io.posthorn.Fleet;
import io.posthorn.HandlerSpec;
import io.posthorn.PublishOptions;
import io.posthorn.RelayOptions;
import io.posthorn.RelayStatus.Counts;
import io.posthorn.internal.admin.AdminDesk;
import io.posthorn.internal.admin.FleetRecorder;
import io.posthorn.internal.policy.Handlers;
import io.posthorn.internal.publish.Publisher;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.internal.run.Threads;
import io.posthorn.internal.wake.Waker;
import io.posthorn.spi.ContextProvider;
import io.posthorn.spi.DeliveryInterceptor;
import io.posthorn.spi.Duty;
import io.posthorn.spi.DutyRunner;
import io.posthorn.spi.IdGenerator;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.MessageExpressions;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.PayloadUpcaster;
import io.posthorn.spi.PublishHook;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Ticker;
import io.posthorn.spi.Transactions;
import io.posthorn.spi.UnreadableMessages;
import io.posthorn.spi.WakeChannel;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One outbox in one process: the publisher, and unless it only publishes, the relay. Its life goes
 * NEW → RUNNING → STOPPED; starting or stopping twice is harmless, and a failed start undoes
 * itself.
 */
public final class OutboxProcess {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn");
  private static final Duration DUTY_STOP = Duration.ofSeconds(5);
  static final Duration PURGE_INTERVAL = Duration.ofSeconds(10);

  /** Longer: all processes of a fleet that only publishes purge, since none knows of the others. */
  private static final Duration PURGE_INTERVAL_WITHOUT_RELAY = Duration.ofMinutes(10);

  private enum State {
    NEW,
    RUNNING,
    STOPPED
  }

  private final Parts parts;
  private final String name;
  private final FailureLog failures;
  private final DutyRunner runner;
  private final Handlers handlers;
  private final AdminDesk admin;
  private final FleetRecorder recorder;
  private final LongAdder published = new LongAdder();
  private final ReentrantLock lock = new ReentrantLock();
  private final List<DutyRunner.RunningDuty> duties = new ArrayList<>(); // guarded by lock
  private State state = State.NEW; // guarded by lock
  private volatile boolean recordingWanted;
  private volatile boolean recording; // written under lock
  private volatile int partitions; // written under lock; zero until the store was opened
  private @Nullable ExecutorService ownExecutor; // guarded by lock
  private @Nullable RelayStore relayStore; // guarded by lock
  private volatile @Nullable Publisher publisher; // written under lock
  private volatile @Nullable Engine engine; // written under lock
  private volatile @Nullable Waker waker; // written under lock

  /**
   * What was configured.
   *
   * @param expressions null if there is no evaluator
   * @param runner null: threads of its own
   * @param codec null if there is none
   * @param aliases the newer name of each older name of a type
   * @param upcasters by the type as it is delivered
   */
  public record Parts(
      MessageStore store,
      Transactions transactions,
      boolean publishOnly,
      List<HandlerSpec<?>> handlers,
      RelayOptions relay,
      PublishOptions publish,
      Map<Class<?>, String> types,
      @Nullable MessageExpressions expressions,
      @Nullable PayloadCodec codec,
      Map<String, String> aliases,
      Map<String, PayloadUpcaster> upcasters,
      List<DeliveryInterceptor> interceptors,
      UnreadableMessages unreadable,
      @Nullable IdGenerator ids,
      List<RelayListener> listeners,
      List<PublishHook> hooks,
      List<ContextProvider> contexts,
      Clock clock,
      Ticker ticker,
      @Nullable DutyRunner runner) {}

  public OutboxProcess(Parts parts) {
    this.parts = parts;
    String given = parts.relay().name();
    this.name = given == null ? RelayNames.make() : given;
    this.failures = new FailureLog(LoggerSource.of("io.posthorn.relay"), name, parts.ticker());
    DutyRunner givenRunner = parts.runner();
    this.runner =
        givenRunner == null ? Threads.forDuties(name, failures, this::relayFailed) : givenRunner;
    this.handlers = new Handlers(parts.handlers(), parts.aliases());
    this.recorder = new FleetRecorder(parts.store()::admin, this::ownCounts, parts.ticker());
    this.admin =
        new AdminDesk(
            parts.store()::admin,
            new AdminDesk.Setting(
                this::partitions,
                parts.publish().maxPayloadBytes(),
                this::deferredChanged,
                this::steered,
                this::recent,
                new Listeners(parts.listeners(), failures)));
  }

  /** The publisher; the first call opens the store. */
  public Publisher publisher() {
    Publisher ready = publisher;
    if (ready != null) {
      return ready;
    }
    lock.lock();
    try {
      ready = publisher == null ? makePublisher() : publisher;
      publisher = ready;
      return ready;
    } finally {
      lock.unlock();
    }
  }

  private int partitions() {
    int known = partitions;
    if (known > 0) {
      return known; // a handler may ask while the process waits for it to end
    }
    lock.lock();
    try {
      partitions = partitions == 0 ? parts.store().open() : partitions;
      return partitions;
    } finally {
      lock.unlock();
    }
  }

  /** Where people see and steer; can be used at any time. */
  public AdminDesk admin() {
    return admin;
  }

  private Publisher makePublisher() {
    boolean acceptAll = parts.publishOnly() || parts.publish().acceptUnhandledTypes();
    return new Publisher(
        parts.transactions(),
        parts.store(),
        new Publisher.Setting(
            parts.publish(),
            parts.codec(),
            parts.ids(),
            parts.clock(),
            parts.types(),
            parts.expressions(),
            envelope -> acceptAll || handlers.take(envelope),
            !parts.publishOnly() || parts.publish().promotedElsewhere(),
            parts.hooks(),
            parts.contexts(),
            partitions(),
            this::nearbyPartitions,
            this::committed,
            failures));
  }

  private List<Integer> nearbyPartitions() {
    Engine relay = engine;
    return relay == null ? List.of() : relay.nearbyPartitions();
  }

  private void committed(BitSet partitions, int messages) {
    published.add(messages);
    if (partitions.isEmpty()) {
      return;
    }
    Engine relay = engine;
    if (relay != null) {
      relay.messagesIn(partitions);
    }
    Waker signals = waker;
    if (signals != null && concernsOthers(relay, partitions)) {
      signals.messagesIn(partitions);
    }
  }

  /** A person changed deferred rows of these partitions. */
  private void deferredChanged(BitSet partitions) {
    Engine relay = engine;
    if (relay != null) {
      relay.deferredChanged(partitions);
    }
    Waker signals = waker;
    if (signals != null && concernsOthers(relay, partitions)) {
      signals.deferredChanged(partitions);
    }
  }

  /** A relay that has lost a duty, or what is in its memory, would keep messages from others. */
  private void relayFailed() {
    Engine relay = engine;
    if (relay != null) {
      relay.giveUpLease();
      LOGGER.log(
          Level.ERROR,
          "[{0}] a background thread has ended or failed within the relay''s memory, so the lease is not renewed any more: other relays take over. Restart this process",
          name);
    }
  }

  private static boolean concernsOthers(@Nullable Engine relay, BitSet partitions) {
    return relay == null || relay.concernsOthers(partitions);
  }

  /** A person paused, resumed or forgot something: relays learn that from their next survey. */
  private void steered() {
    Engine relay = engine;
    if (relay != null) {
      relay.leasesChanged();
    }
    Waker signals = waker;
    if (signals != null) {
      signals.leasesChanged();
    }
  }

  public void start() {
    lock.lock();
    try {
      if (state == State.RUNNING) {
        return;
      }
      if (state == State.STOPPED) {
        throw new IllegalStateException(
            "\"" + name + "\" was stopped and can't be started again; build a new one");
      }
      boolean started = false;
      try {
        startParts();
        state = State.RUNNING;
        startRecording();
        started = true;
      } finally {
        if (!started) {
          stopParts(Duration.ZERO);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** The figures of the last hour; the first call begins to record them. */
  private List<Fleet.Sample> recent() {
    recordingWanted = true;
    if (!recording && lock.tryLock()) { // else it is just starting or stopping
      try {
        startRecording();
      } finally {
        lock.unlock();
      }
    }
    return recorder.samples();
  }

  private void startRecording() {
    if (state == State.RUNNING && recordingWanted && !recording) {
      recording = true;
      run(recorder);
    }
  }

  /** What no relay reports. */
  private @Nullable Counts ownCounts() {
    return engine == null ? new Counts(published.sum(), 0, 0, 0, 0, 0, 0) : null;
  }

  private void startParts() {
    publisher();
    RelayStore access =
        parts.publishOnly() ? null : parts.store().relay(parts.relay().leaseDuration());
    relayStore = access;
    Optional<WakeChannel> wake =
        access == null ? parts.store().wakeChannel() : access.wakeChannel();
    if (wake.isPresent() && !parts.publish().deleteAtOnce()) {
      Waker signals = new Waker(wake.get());
      waker = signals;
      signals.runsAs(run(signals));
    }
    startPurges();
    if (access != null) {
      startRelay(access);
    }
    LOGGER.log(
        Level.INFO,
        "[{0}] started: {1}, handlers {2}, lease {3}, heartbeat {4}, window {5} messages, {6} workers",
        name,
        parts.publishOnly() ? "publish only" : "relay",
        handlers.typesByName().keySet(),
        parts.relay().leaseDuration(),
        parts.relay().heartbeatInterval(),
        parts.relay().windowMessages(),
        parts.relay().workers());
  }

  /** What each process purges by itself. */
  private void startPurges() {
    Duration purgeAfter = parts.publish().purgeAfter();
    if (purgeAfter != null) {
      runPurge(
          new Purger.Purge("ready", limit -> parts.store().purgeReady(purgeAfter, limit)),
          PURGE_INTERVAL);
    }
    if (parts.publishOnly()) {
      runPurge(Purger.idempotencyKeys(parts), PURGE_INTERVAL_WITHOUT_RELAY);
    }
  }

  private void runPurge(Purger.Purge purge, Duration interval) {
    Listeners listeners = new Listeners(parts.listeners(), failures);
    run(new Purger(List.of(purge), () -> true, interval, listeners));
  }

  private void startRelay(RelayStore access) {
    Engine relay =
        new Engine(
            parts,
            new Engine.Setting(
                name,
                access,
                handlers,
                executor(),
                runner,
                this::relayFailed,
                failures,
                published,
                waker));
    engine = relay;
    relay.start();
  }

  private Executor executor() {
    Executor given = parts.relay().executor();
    if (given != null) {
      return given;
    }
    ownExecutor = Threads.forDeliveries(name, parts.relay().virtualThreads());
    return ownExecutor;
  }

  private DutyRunner.RunningDuty run(Duty duty) {
    DutyRunner.RunningDuty running = runner.start(duty);
    duties.add(running);
    return running;
  }

  /**
   * Stops the relay as {@link Engine#stop} does.
   *
   * @return whether everything was handed over
   */
  public boolean stop(Duration timeout) {
    lock.lock();
    try {
      Engine.Stopped stopped = state == State.RUNNING ? stopParts(timeout) : Engine.Stopped.NOTHING;
      if (state == State.RUNNING) {
        boolean handedOver = stopped.handedOver();
        LOGGER.log(
            handedOver ? Level.INFO : Level.WARNING,
            "[{0}] stopped: {1} deliveries interrupted, {2} partitions returned{3}",
            name,
            stopped.interrupted(),
            stopped.returned(),
            handedOver ? "" : "; the others pass to other relays when the lease ends");
      }
      state = State.STOPPED;
      return stopped.handedOver();
    } finally {
      lock.unlock();
    }
  }

  private Engine.Stopped stopParts(Duration timeout) {
    Engine relay = engine;
    Engine.Stopped stopped = relay == null ? Engine.Stopped.NOTHING : relay.stop(timeout);
    Waker signals = waker;
    engine = null;
    waker = null;
    for (DutyRunner.RunningDuty duty : duties) {
      duty.stop(DUTY_STOP);
    }
    duties.clear();
    if (signals != null) {
      signals.close(stopped.handedOver()); // otherwise the database is perhaps out of reach
    }
    if (relayStore != null) {
      relayStore.close();
      relayStore = null;
    }
    if (ownExecutor != null) {
      ownExecutor.shutdownNow();
      ownExecutor = null;
    }
    return stopped;
  }

  /** The running relay, if there is one. */
  public Optional<Engine> engine() {
    return Optional.ofNullable(engine);
  }

  public String name() {
    return name;
  }

  public Duration stopTimeout() {
    return parts.relay().stopTimeout();
  }
}
