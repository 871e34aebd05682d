/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.schedule;

import io.posthorn.Batch;
import io.posthorn.Delivery;
import io.posthorn.DestinationDownException;
import io.posthorn.Message;
import io.posthorn.RelayStatus;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.MutableClock;
import io.posthorn.test.schedule.SchedulePlan.Dimension;
import io.posthorn.test.schedule.SchedulePlan.HandlerPlan;
import io.posthorn.test.schedule.SchedulePlan.Kind;
import io.posthorn.test.schedule.Truth.Entry;
import io.posthorn.test.schedule.Truth.Running;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Several relays on one store, whose duties and workers are run in the order of a schedule: also in
 * the middle of a delivery, since handlers run some steps of the others. Relays come, stop and die
 * meanwhile, and whatever else the schedule has happens. It tells the same story each time, but for
 * what the engine leaves to chance: the partitions of messages without a key, and the order of
 * sets.
 */
final class ScheduleRun implements ScheduledRelay.Receiver {
  private static final List<String> KEYS = List.of("a", "b", "c");
  private static final int MOST_RELAYS = 4;

  /** Longer than anything waits by itself. */
  private static final int ROUNDS_WITHOUT_PROGRESS = 400;

  private static final int OVERHEAD = 1_024; // what a message counts beside its payload
  private static final int MOST_LANES_PER_MESSAGE = 5; // as many as there are handlers

  private final Deque<Action> coming;
  private final SchedulePlan plan;
  private final MutableClock clock = new MutableClock();
  private final InMemoryStore store;
  private final PlayedTransactions transactions;
  private final ScheduledRelay.Setting setting;
  private final Truth truth;
  private final PlayedBroker broker;
  private final Operators operators;
  private final List<ScheduledRelay> relays = new ArrayList<>();
  private final Set<String> down = new HashSet<>();
  private final List<String> story = new ArrayList<>();
  private boolean quiet;
  private boolean whole;
  private int names;
  private long ids;
  private int depth; // deliveries and actions that are under way, each within the one before
  private Random random = new Random(0); // of the action under way

  ScheduleRun(Schedule schedule) {
    this.coming = new ArrayDeque<>(schedule.actions());
    this.plan = schedule.plan();
    this.store = new InMemoryStore(clock, plan.partitions());
    this.truth = new Truth(plan, clock);
    this.broker = new PlayedBroker(plan, truth, this::tell);
    this.operators = new Operators(() -> random, plan, truth);
    this.transactions = new PlayedTransactions(this::cut);
    this.setting =
        new ScheduledRelay.Setting(
            plan,
            clock,
            new CutStore(store, this::cut, this::refused, this::meanwhile).wrapped(),
            transactions,
            this::id,
            this);
    join(true);
    relays.get(0).step("lease"); // so that all who come later know of its handlers
    join(false);
  }

  private UUID id() {
    return new UUID(0, ids++);
  }

  private boolean cut() {
    return plan.has(Dimension.CUTS) && !quiet && !whole && random.nextInt(30) == 0;
  }

  private boolean refused() {
    return plan.has(Dimension.REFUSALS) && !quiet && !whole && random.nextInt(20) == 0;
  }

  /** A call of a duty is on its way to the store, or from there. */
  private void meanwhile() {
    if (plan.has(Dimension.SLOW_CALLS) && !quiet && !whole && random.nextInt(4) == 0) {
      passTime(1 + random.nextInt(plan.has(Dimension.DEATHS) ? 300 : 2_000));
    }
    if (plan.has(Dimension.OVERLAPS) && !whole && random.nextBoolean()) {
      transactions.elsewhere(this::actMeanwhile);
    }
  }

  /** What happened, a line for each step; what happened during another one is indented. */
  List<String> story() {
    return story;
  }

  private void tell(String text, Object... arguments) {
    story.add("  ".repeat(Math.max(0, depth - 1)) + text.formatted(arguments));
  }

  /** What breaks a promise. Only the first counts: whatever is under way then is cut short. */
  List<Truth.Problem> problems() {
    return truth.problems();
  }

  /** Lets things happen; then the relays that are left do what there is to do. */
  void run() {
    while (!coming.isEmpty() && problems().isEmpty()) {
      perform(coming.remove());
    }
    if (problems().isEmpty()) {
      comeToRest();
    }
    problems().stream().findFirst().ifPresent(problem -> story.add("BROKEN: " + problem));
  }

  private void comeToRest() {
    tell("everything comes to rest");
    quiet = true;
    broker.confirmAll();
    join(true);
    ScheduledRelay last = relays.get(relays.size() - 1);
    down.clear();
    operators.resumeAll(last.posthorn().admin());
    int progress = Integer.MIN_VALUE;
    int since = 0;
    for (int round = 0; round - since < ROUNDS_WITHOUT_PROGRESS && goesOn(round); round++) {
      if (progress() > progress) {
        progress = progress();
        since = round;
      }
      if (round == 10) {
        stopIncomplete();
      }
      if (round % 20 == 0) {
        operators.release(last.posthorn().admin(), KEYS);
      }
      relays.forEach(ScheduledRelay::runOnce);
      clock.advance(round());
    }
    if (problems().isEmpty()) {
      judge();
    }
  }

  /** Grows as long as messages are delivered, or read and put aside. */
  private int progress() {
    return truth.successes() - store.rows().ready().size();
  }

  private boolean goesOn(int round) {
    return problems().isEmpty() && (round == 0 || !store.rows().noMessages());
  }

  /** Short enough for everybody's heartbeats. */
  private Duration round() {
    return Duration.ofMillis(plan.has(Dimension.DEATHS) ? 250 : 1_000);
  }

  private void stopIncomplete() {
    List<ScheduledRelay> leaving = relays.stream().filter(relay -> !relay.complete()).toList();
    relays.removeAll(leaving);
    leaving.forEach(ScheduledRelay::stop);
  }

  private void judge() {
    if (!store.rows().noMessages()) {
      truth.problem("rows are left: %s", store.rows());
    }
    relays.forEach(ScheduledRelay::runOnce);
    relays.stream()
        .filter(relay -> !relay.isEmpty())
        .forEach(relay -> truth.problem("%s has messages in memory", relay.name()));
    truth.judge(operators.history(relays.get(0).posthorn().admin()));
  }

  // --- deliveries

  @Override
  public void receive(ScheduledRelay relay, HandlerPlan handler, Delivery delivery)
      throws Exception {
    failIfDead(relay);
    checkOwner(relay, delivery);
    Running running = new Running(relay.name(), delivery.epoch());
    truth.workerBegins(relay.name(), handler);
    truth.occupy(delivery, running);
    try {
      handle(relay, handler, delivery, entry -> succeed(relay, entry, delivery));
    } finally {
      truth.free(delivery, running);
      truth.workerEnds(relay.name(), handler);
    }
  }

  @Override
  public void receive(ScheduledRelay relay, HandlerPlan handler, Batch<byte[]> batch)
      throws Exception {
    failIfDead(relay);
    Delivery first = batch.items().get(0).delivery();
    checkOwner(relay, first);
    Running running = new Running(relay.name(), first.epoch());
    truth.workerBegins(relay.name(), handler);
    batch.items().forEach(item -> truth.occupy(item.delivery(), running));
    Set<String> failedKeys = new HashSet<>();
    try {
      for (Batch.Item<byte[]> item : batch.items()) {
        Delivery delivery = item.delivery();
        if (!batch.owned(item)) {
          batch.leave(item);
        } else if (!failedKeys.contains(delivery.key())) {
          try {
            handle(relay, handler, delivery, entry -> take(relay, batch, item, entry, running));
          } catch (Exception e) {
            failedKeys.add(delivery.key() == null ? "" : delivery.key());
            batch.fail(item, e);
          }
        }
      }
    } finally {
      batch.items().stream()
          .filter(item -> !batch.isUnderWay(item))
          .forEach(item -> truth.free(item.delivery(), running));
      truth.workerEnds(relay.name(), handler);
    }
  }

  /** A handler of batches has come to one of its messages. */
  private void take(
      ScheduledRelay relay,
      Batch<byte[]> batch,
      Batch.Item<byte[]> item,
      Entry entry,
      Running running) {
    if (entry.handler().kind() != Kind.SENDER) {
      succeed(relay, entry, item.delivery());
      return;
    }
    tell("%s sends %s", relay.name(), entry);
    broker.send(new PlayedBroker.Sent(relay, batch, item, entry, running));
    if (quiet || whole) {
      broker.confirmAll();
    }
  }

  private static void failIfDead(ScheduledRelay relay) {
    if (relay.dead()) {
      throw new IllegalStateException("it has died");
    }
  }

  private void checkOwner(ScheduledRelay relay, Delivery delivery) {
    if (!plan.has(Dimension.DEATHS)) {
      return;
    }
    long epoch = store.rows().partitions().get(delivery.message().partition()).epoch();
    if (epoch != delivery.epoch()) {
      truth.problem("%s begins %s, but the epoch is %d", relay.name(), delivery, epoch);
    }
  }

  private void handle(
      ScheduledRelay relay, HandlerPlan handler, Delivery delivery, Consumer<Entry> done)
      throws Exception {
    Entry entry = truth.begin(relay.name(), delivery);
    tell(
        "%s begins %s, attempt %d, epoch %d",
        relay.name(), entry, delivery.attempt(), delivery.epoch());
    if (entry == null || !problems().isEmpty()) {
      return;
    }
    relay.beginDelivery();
    transactions.elsewhere(this::actMeanwhile);
    relay.endDelivery();
    if (relay.dead() && random.nextBoolean()) {
      failIfDead(relay); // otherwise it died a little later
    }
    perhapsFail(relay, handler, entry, delivery);
    if (handler.kind() == Kind.TRANSACTIONAL) {
      perhapsPublish(relay);
      transactions.current().afterCommit(() -> done.accept(entry));
    } else {
      done.accept(entry);
    }
  }

  private void succeed(ScheduledRelay relay, Entry entry, Delivery delivery) {
    tell("%s is done with %s", relay.name(), entry);
    truth.succeeded(entry, relay.name(), delivery.epoch());
  }

  /** What others do while a delivery is under way. */
  private void actMeanwhile() {
    while (!quiet
        && !coming.isEmpty()
        && coming.element().depth() >= depth
        && problems().isEmpty()) {
      perform(coming.remove());
    }
  }

  private void perhapsFail(
      ScheduledRelay relay, HandlerPlan handler, Entry entry, Delivery delivery) {
    if (down.contains(handler.name())) {
      tell("%s finds the destination of %s down", relay.name(), entry);
      throw new DestinationDownException("as planned", null);
    }
    if (!quiet && plan.has(Dimension.FAILURES) && random.nextInt(12) == 0) {
      tell("%s fails with %s", relay.name(), entry);
      truth.failed(entry, delivery.attempt());
      throw new IllegalStateException("as planned");
    }
  }

  @Override
  public void fallBack(ScheduledRelay relay, Delivery delivery) {
    failIfDead(relay);
    Entry entry = truth.find(delivery);
    if (entry == null || (!quiet && random.nextInt(4) == 0)) {
      tell("%s has a fallback that fails with %s", relay.name(), entry);
      throw new IllegalStateException("as planned");
    }
    tell("%s falls back for %s", relay.name(), entry);
    truth.succeeded(entry, relay.name(), delivery.epoch());
  }

  /** In the handler's transaction; its messages count from the commit on. */
  private void perhapsPublish(ScheduledRelay relay) {
    if (!quiet && random.nextInt(12) == 0) {
      publish(relay, 1 + random.nextInt(4));
    }
  }

  // --- actions

  private void perform(Action action) {
    Random outer = random;
    random = new Random(action.seed());
    depth++;
    ScheduledRelay relay = relays.get(random.nextInt(relays.size()));
    try {
      act(action, relay);
      checkWindow(relay);
    } catch (RuntimeException e) {
      truth.problem("%s failed: %s", action.step(), e);
    } finally {
      depth--;
      random = outer;
    }
  }

  private void act(Action action, ScheduledRelay relay) {
    switch (action.step()) {
      case PUBLISH -> transactions.run(() -> publish(relay, action.size() + 1));
      case LEASE -> step(relay, "lease", "%s renews its lease");
      case READ -> step(relay, "read", "%s reads");
      case SETTLE -> step(relay, "settle", "%s settles");
      case WATCH -> step(relay, "watch", "%s watches");
      case WORK -> {
        tell("%s works", relay.name());
        relay.work();
      }
      case ANSWER -> broker.answer(random);
      case TIME -> passTime(1 + random.nextInt(100 * (action.size() + 1)));
      case JOIN -> perhapsJoin();
      case END -> end(relay);
      case DESTINATION -> breakOrMend();
      case PAUSE -> pause(relay);
      case STEER -> steer(relay);
    }
  }

  private void step(ScheduledRelay relay, String duty, String text) {
    tell(text, relay.name());
    relay.step(duty);
  }

  private void passTime(int millis) {
    tell("%d ms pass", millis);
    clock.advance(Duration.ofMillis(millis));
  }

  /**
   * Each handler may have one more message, to find out whether its destination is back; one may be
   * larger than what is left of the bytes. The lane of a key stays until the next read if it is
   * closed.
   */
  private void checkWindow(ScheduledRelay relay) {
    RelayStatus status = relay.posthorn().status().orElse(null);
    if (status != null
        && (status.inMemory() > plan.windowMessages() + plan.handlers().size()
            || status.bytesInMemory() > plan.windowBytes() + plan.maxPayload() + OVERHEAD
            || status.lanesInMemory()
                > MOST_LANES_PER_MESSAGE * (plan.windowMessages() + KEYS.size()))) {
      truth.problem("%s has too much in memory: %s", relay.name(), status);
    }
  }

  private void publish(ScheduledRelay relay, int messages) {
    List<String> types = plan.types();
    String key = key();
    for (int i = 0; i < messages; i++) {
      String type = types.get(random.nextInt(types.size()));
      Message.Builder message =
          Message.of(type).key(key).payload(new byte[random.nextInt(plan.maxPayload())]);
      Duration delay = sometimes(Dimension.DELAYS, 3_000);
      Duration life = sometimes(Dimension.EXPIRY, 5_000);
      Instant now = clock.instant();
      Truth.Times times =
          new Truth.Times(
              delay == null ? null : now.plus(delay), life == null ? null : now.plus(life));
      message = delay == null ? message : message.deliverAfter(delay);
      message = times.expiresAt() == null ? message : message.expiresAt(times.expiresAt());
      UUID id = relay.posthorn().outbox().publish(message.build());
      transactions
          .current()
          .afterCommit(
              () ->
                  tell(
                      "%s publishes %d: %s%s%s",
                      relay.name(),
                      truth.published(id, type, key, times),
                      type,
                      key == null ? "" : " with key " + key,
                      delay == null ? "" : ", due in " + delay.toMillis() + " ms"));
    }
  }

  private @Nullable Duration sometimes(Dimension dimension, int mostMillis) {
    return plan.has(dimension) && random.nextInt(5) == 0
        ? Duration.ofMillis(1 + random.nextInt(mostMillis))
        : null;
  }

  private @Nullable String key() {
    boolean keyless = plan.has(Dimension.KEYLESS) && random.nextInt(3) == 0;
    return keyless ? null : KEYS.get(random.nextInt(KEYS.size()));
  }

  private void perhapsJoin() {
    if (random.nextInt(8) == 0 && relays.size() < MOST_RELAYS) {
      join(random.nextBoolean());
    }
  }

  private void join(boolean complete) {
    tell("relay-%d joins", names);
    relays.add(
        new ScheduledRelay("relay-" + names++, complete || !plan.has(Dimension.FOREIGN), setting));
  }

  private void end(ScheduledRelay relay) {
    if (plan.has(Dimension.DEATHS) && random.nextInt(4) == 0) {
      tell("%s dies", relay.name());
      relay.die();
      relays.remove(relay);
      if (relays.isEmpty()) {
        join(true);
      }
    } else if (depth == 1 && relays.size() > 1 && !relay.busy() && random.nextInt(10) == 0) {
      tell("%s stops", relay.name());
      relays.remove(relay);
      whole = true;
      broker.confirmAll();
      settleRefused(relay);
      if (!relay.stop() && !plan.has(Dimension.DEATHS)) {
        truth.problem("%s has stopped, but not handed over", relay.name());
      }
      whole = false;
    }
  }

  /** Tries what was refused again before it stops: while it does that, no time passes here. */
  private void settleRefused(ScheduledRelay relay) {
    for (int i = 0; i < 20 && plan.has(Dimension.REFUSALS) && !plan.has(Dimension.DEATHS); i++) {
      relay.step("settle");
      clock.advance(Duration.ofMillis(200));
    }
  }

  private void breakOrMend() {
    if (plan.has(Dimension.OUTAGES)) {
      String handler = plan.handlers().get(random.nextInt(plan.handlers().size())).name();
      boolean mended = down.remove(handler);
      if (!mended) {
        down.add(handler);
      }
      tell("the destination of %s %s", handler, mended ? "is back" : "goes down");
    }
  }

  private void pause(ScheduledRelay relay) {
    if (plan.has(Dimension.PAUSES)) {
      tell(operators.pause(relay.posthorn().admin()));
    }
  }

  private void steer(ScheduledRelay relay) {
    if (plan.has(Dimension.OPERATORS)) {
      tell(operators.steer(relay.posthorn().admin(), KEYS.get(random.nextInt(KEYS.size()))));
    }
  }
}
