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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Several relays on one store, whose duties and workers are run in an order that a seed decides:
 * also in the middle of a delivery, since handlers run some steps of the others. Relays come, stop
 * and die meanwhile, and whatever else the seed has chosen happens. A seed tells the same story
 * each time, but for what the engine leaves to chance: the partitions of messages without a key,
 * and the order of sets.
 */
final class RandomSchedule implements ScheduledRelay.Receiver {
  private static final List<String> KEYS = List.of("a", "b", "c");
  private static final int DEEPEST = 3;
  private static final int MOST_RELAYS = 4;

  /** Longer than anything waits by itself. */
  private static final int ROUNDS_WITHOUT_PROGRESS = 400;

  private static final int OVERHEAD = 1_024; // what a message counts beside its payload
  private static final int MOST_LANES_PER_MESSAGE = 5; // as many as there are handlers

  private final Random random;
  private final SchedulePlan plan;
  private final MutableClock clock = new MutableClock();
  private final InMemoryStore store;
  private final PlayedTransactions transactions;
  private final ScheduledRelay.Setting setting;
  private final Truth truth;
  private final Operators operators;
  private final List<ScheduledRelay> relays = new ArrayList<>();
  private final Set<String> down = new HashSet<>();
  private final List<String> story = new ArrayList<>();
  private boolean quiet;
  private boolean whole;
  private int names;
  private long ids;
  private int depth;

  /**
   * @param without what is not to happen
   */
  RandomSchedule(long seed, Set<Dimension> without) {
    this.random = new Random(seed);
    this.plan = SchedulePlan.of(random, without);
    this.store = new InMemoryStore(clock, plan.partitions());
    this.truth = new Truth(plan);
    this.operators = new Operators(random, plan, truth);
    this.transactions = new PlayedTransactions(this::cut);
    this.setting =
        new ScheduledRelay.Setting(
            plan, clock, new CutStore(store, this::cut).wrapped(), transactions, this::id, this);
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

  SchedulePlan plan() {
    return plan;
  }

  List<String> story() {
    return story;
  }

  /** What breaks a promise. */
  List<String> problems() {
    return truth.problems();
  }

  /** Lets things happen; then the relays that are left do what there is to do. */
  void run(int actions) {
    for (int i = 0; i < actions && problems().isEmpty(); i++) {
      act();
    }
    if (problems().isEmpty()) {
      comeToRest();
    }
  }

  private void comeToRest() {
    quiet = true;
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
    truth.occupy(delivery, running);
    try {
      handle(relay, handler, delivery);
    } finally {
      truth.free(delivery, running);
    }
  }

  @Override
  public void receive(ScheduledRelay relay, HandlerPlan handler, Batch<byte[]> batch)
      throws Exception {
    failIfDead(relay);
    Delivery first = batch.items().get(0).delivery();
    checkOwner(relay, first);
    Running running = new Running(relay.name(), first.epoch());
    batch.items().forEach(item -> truth.occupy(item.delivery(), running));
    Set<String> failedKeys = new HashSet<>();
    try {
      for (Batch.Item<byte[]> item : batch.items()) {
        Delivery delivery = item.delivery();
        if (!batch.owned(item)) {
          batch.leave(item);
        } else if (!failedKeys.contains(delivery.key())) {
          try {
            handle(relay, handler, delivery);
          } catch (Exception e) {
            failedKeys.add(delivery.key() == null ? "" : delivery.key());
            batch.fail(item, e);
          }
        }
      }
    } finally {
      batch.items().forEach(item -> truth.free(item.delivery(), running));
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

  private void handle(ScheduledRelay relay, HandlerPlan handler, Delivery delivery)
      throws Exception {
    Entry entry = truth.begin(delivery);
    story.add("%s begins %s, %s".formatted(relay.name(), entry, delivery));
    if (entry == null || !problems().isEmpty()) {
      return;
    }
    relay.beginDelivery();
    transactions.elsewhere(this::actSometimes);
    relay.endDelivery();
    if (relay.dead() && random.nextBoolean()) {
      failIfDead(relay); // otherwise it died a little later
    }
    perhapsFail(relay, handler, entry, delivery);
    if (handler.kind() == Kind.TRANSACTIONAL) {
      perhapsPublish(relay);
      transactions.current().afterCommit(() -> succeed(relay, entry));
    } else {
      succeed(relay, entry);
    }
  }

  private void succeed(ScheduledRelay relay, Entry entry) {
    story.add("%s is done with %s".formatted(relay.name(), entry));
    truth.succeeded(entry);
  }

  private void actSometimes() {
    for (int i = random.nextInt(6); i > 0 && depth < DEEPEST && problems().isEmpty(); i--) {
      act();
    }
  }

  private void perhapsFail(
      ScheduledRelay relay, HandlerPlan handler, Entry entry, Delivery delivery) {
    if (down.contains(handler.name())) {
      story.add("%s finds the destination of %s down".formatted(relay.name(), entry));
      throw new DestinationDownException("as planned", null);
    }
    if (!quiet && plan.has(Dimension.FAILURES) && random.nextInt(12) == 0) {
      story.add("%s fails with %s".formatted(relay.name(), entry));
      truth.failed(entry, delivery.attempt());
      throw new IllegalStateException("as planned");
    }
  }

  /** In the handler's transaction; its messages count from the commit on. */
  private void perhapsPublish(ScheduledRelay relay) {
    if (!quiet && random.nextInt(12) == 0) {
      publish(relay);
    }
  }

  // --- actions

  private void act() {
    if (quiet) {
      return;
    }
    depth++;
    ScheduledRelay relay = relays.get(random.nextInt(relays.size()));
    switch (random.nextInt(26)) {
      case 0, 1, 2, 3 -> transactions.run(() -> publish(relay));
      case 4, 5 -> relay.step("lease");
      case 6, 7, 8, 9 -> relay.step("read");
      case 10, 11, 12 -> relay.step("settle");
      case 13, 14, 15, 16, 17, 18 -> relay.work();
      case 19 -> relay.step("watch");
      case 20 -> clock.advance(Duration.ofMillis(1 + random.nextInt(400)));
      case 21 -> perhapsJoin();
      case 22 -> end(relay);
      case 23 -> breakOrMend();
      case 24 -> pause(relay);
      default -> steer(relay);
    }
    checkWindow(relay);
    depth--;
  }

  /**
   * Each handler may have one more message, to find out whether its destination is back; one may be
   * larger than what is left of the bytes.
   */
  private void checkWindow(ScheduledRelay relay) {
    RelayStatus status = relay.posthorn().status().orElse(null);
    if (status != null
        && (status.inMemory() > plan.windowMessages() + plan.handlers().size()
            || status.bytesInMemory() > plan.windowBytes() + plan.maxPayload() + OVERHEAD
            || status.lanesInMemory() > MOST_LANES_PER_MESSAGE * plan.windowMessages())) {
      truth.problem("%s has too much in memory: %s", relay.name(), status);
    }
  }

  private void publish(ScheduledRelay relay) {
    List<String> types = plan.types();
    String key = key();
    for (int i = random.nextInt(4); i >= 0; i--) {
      String type = types.get(random.nextInt(types.size()));
      Message message =
          Message.of(type).key(key).payload(new byte[random.nextInt(plan.maxPayload())]).build();
      UUID id = relay.posthorn().outbox().publish(message);
      transactions.current().afterCommit(() -> truth.published(id, type, key));
    }
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
    relays.add(
        new ScheduledRelay("relay-" + names++, complete || !plan.has(Dimension.FOREIGN), setting));
  }

  private void end(ScheduledRelay relay) {
    if (plan.has(Dimension.DEATHS) && random.nextInt(4) == 0) {
      story.add(relay.name() + " dies");
      relay.die();
      relays.remove(relay);
      if (relays.isEmpty()) {
        join(true);
      }
    } else if (depth == 1 && relays.size() > 1 && !relay.busy() && random.nextInt(10) == 0) {
      story.add(relay.name() + " stops");
      relays.remove(relay);
      whole = true;
      if (!relay.stop() && !plan.has(Dimension.DEATHS)) {
        truth.problem("%s has stopped, but not handed over", relay.name());
      }
      whole = false;
    }
  }

  private void breakOrMend() {
    if (plan.has(Dimension.OUTAGES)) {
      String handler = plan.handlers().get(random.nextInt(plan.handlers().size())).name();
      if (!down.remove(handler)) {
        down.add(handler);
      }
    }
  }

  private void pause(ScheduledRelay relay) {
    if (plan.has(Dimension.PAUSES)) {
      operators.pause(relay.posthorn().admin());
    }
  }

  private void steer(ScheduledRelay relay) {
    if (plan.has(Dimension.OPERATORS)) {
      operators.steer(relay.posthorn().admin(), KEYS.get(random.nextInt(KEYS.size())));
    }
  }
}
