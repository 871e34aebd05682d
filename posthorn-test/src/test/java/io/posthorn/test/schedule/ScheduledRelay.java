/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.schedule;

import io.posthorn.Batch;
import io.posthorn.HandlerSpec;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.IdGenerator;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.StoreException;
import io.posthorn.test.MutableClock;
import io.posthorn.test.StepRunner;
import io.posthorn.test.schedule.SchedulePlan.Dimension;
import io.posthorn.test.schedule.SchedulePlan.HandlerPlan;
import io.posthorn.test.schedule.SchedulePlan.Kind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/** A relay, and the workers that wait for a thread. */
final class ScheduledRelay {
  private static final RetryPolicy.Backoff RETRY = RetryPolicy.fixed(Duration.ofMillis(200), 1_000);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(2);

  private final String name;
  private final boolean complete;
  private final Deque<Runnable> workers = new ArrayDeque<>();
  private final Set<String> runningDuties = new HashSet<>();
  private final StepRunner steps = new StepRunner();
  private final Posthorn posthorn;
  private boolean dead;
  private int deliveries;

  /**
   * What all relays of a schedule share.
   *
   * @param receiver what their handlers do
   */
  record Setting(
      SchedulePlan plan,
      MutableClock clock,
      MessageStore store,
      PlayedTransactions transactions,
      IdGenerator ids,
      Receiver receiver) {}

  /** What handlers do. */
  interface Receiver {
    void receive(ScheduledRelay relay, HandlerPlan handler, io.posthorn.Delivery delivery)
        throws Exception;

    void receive(ScheduledRelay relay, HandlerPlan handler, Batch<byte[]> batch) throws Exception;

    void fallBack(ScheduledRelay relay, io.posthorn.Delivery delivery);
  }

  /**
   * @param complete whether it has all handlers
   */
  ScheduledRelay(String name, boolean complete, Setting setting) {
    this.name = name;
    this.complete = complete;
    Posthorn.Builder builder =
        Posthorn.inOneProcess(setting.store, setting.transactions)
            .clock(setting.clock)
            .ticker(setting.clock.ticker())
            .dutyRunner(steps)
            .idGenerator(setting.ids)
            .publish(options -> options.acceptUnhandledTypes(true));
    configure(builder, setting.plan);
    for (HandlerPlan handler : setting.plan.handlers()) {
      if (complete || !handler.foreign()) {
        builder.handler(spec(handler, setting.receiver));
      }
    }
    this.posthorn = builder.start();
  }

  private void configure(Posthorn.Builder builder, SchedulePlan plan) {
    boolean deadly = plan.has(Dimension.DEATHS);
    builder.relay(
        options ->
            options
                .name(name)
                .executor(workers::add)
                .windowMessages(plan.windowMessages())
                .windowBytes(plan.windowBytes())
                .settleBatch(plan.settleBatch())
                .leaseDuration(deadly ? Duration.ofMillis(900) : Duration.ofMinutes(9))
                .heartbeatInterval(Duration.ofMillis(300))
                .probeInterval(Duration.ofMillis(300))
                .crashAttempts(1_000)
                .lateAfter(Duration.ofMillis(300))
                .retention(plan.has(Dimension.RETENTION) ? Duration.ofDays(1) : Duration.ZERO)
                .retry(RETRY));
  }

  private HandlerSpec<byte[]> spec(HandlerPlan plan, Receiver receiver) {
    HandlerSpec<byte[]> spec =
        plan.inBatches()
            ? HandlerSpec.batch(
                plan.name(),
                plan.types().get(0),
                byte[].class,
                plan.batchSize(),
                batch -> receiver.receive(this, plan, batch))
            : HandlerSpec.of(
                plan.name(),
                plan.types().get(0),
                byte[].class,
                (payload, delivery) -> receiver.receive(this, plan, delivery));
    for (String type : plan.types()) {
      spec = spec.alsoType(type);
    }
    spec = plan.kind() == Kind.TRANSACTIONAL ? spec.transactional() : spec;
    spec = plan.kind() == Kind.SENDER ? spec.batchPerKey(1).timeLimit(ANSWER_LIMIT) : spec;
    spec = plan.perSecond() == 0 ? spec : spec.rateLimit(plan.perSecond(), Duration.ofSeconds(1));
    spec =
        plan.fallback()
            ? spec.fallback((payload, delivery, cause) -> receiver.fallBack(this, delivery))
            : spec;
    return spec.lanePolicy(plan.lanePolicy())
        .concurrency(plan.concurrency())
        .retry(RetryPolicy.fixed(Duration.ofMillis(200), plan.maxAttempts()));
  }

  String name() {
    return name;
  }

  boolean complete() {
    return complete;
  }

  Posthorn posthorn() {
    return posthorn;
  }

  boolean dead() {
    return dead;
  }

  void die() {
    dead = true;
  }

  boolean busy() {
    return deliveries > 0;
  }

  void beginDelivery() {
    deliveries++;
  }

  void endDelivery() {
    deliveries--;
  }

  /** One pass of a duty, which has one thread: not while it is in the middle of another. */
  void step(String duty) {
    if (!dead && runningDuties.add(duty)) {
      try {
        steps.step(duty);
      } catch (StoreException e) {
        // the loop of a duty waits a little, and goes on
      } finally {
        runningDuties.remove(duty);
      }
    }
  }

  void work() {
    Runnable worker = workers.poll();
    if (worker != null && !dead) {
      worker.run();
    }
  }

  /** One pass of all duties, then all workers that wait. */
  void runOnce() {
    steps.runOnce();
    while (!workers.isEmpty()) {
      work();
    }
  }

  /**
   * Ends as it should.
   *
   * @return whether everything was handed over
   */
  boolean stop() {
    while (!workers.isEmpty()) {
      work();
    }
    return posthorn.stop(Duration.ofSeconds(1));
  }

  /** Whether no message is in memory. */
  boolean isEmpty() {
    return posthorn
        .status()
        .map(status -> status.inMemory() == 0 && status.bytesInMemory() == 0)
        .orElse(true);
  }
}
