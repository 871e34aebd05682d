/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Several relays on one store, whose duties and workers are run in an order that a seed decides:
 * also in the middle of a delivery, since handlers run some steps of the others. Relays come, stop
 * and die meanwhile.
 */
final class RandomSchedule {
  private static final List<String> HANDLERS = List.of("bill", "ship");
  private static final Map<String, List<String>> TYPES =
      Map.of("order", HANDLERS, "refund", List.of("bill"));

  private static final List<String> KEYS = List.of("a", "b", "c");
  private static final int DEEPEST = 3;

  private final Random random;
  private final Scene scene;
  private final boolean failing;
  private final boolean deadly;
  private final int window;
  private final int settleBatch;
  private final List<Member> members = new ArrayList<>();
  private final Map<String, Integer> published = new HashMap<>();
  private final Map<String, List<Integer>> expected = new HashMap<>(); // by lane
  private final Map<String, Set<Integer>> done = new HashMap<>(); // by lane
  private final List<String> story = new ArrayList<>();
  private final List<String> disorder = new ArrayList<>();
  private boolean quiet;
  private int names;
  private int depth;

  /** A relay, and the workers that wait for a thread. */
  private final class Member {
    final String name = "relay-" + names++;
    final Deque<Runnable> workers = new ArrayDeque<>();
    final Set<String> runningDuties = new HashSet<>();
    final SteppedRelay relay = scene.relay(name, this::configure);
    boolean dead;
    int deliveries;

    private void configure(Posthorn.Builder builder) {
      builder.relay(
          options ->
              options
                  .executor(workers::add)
                  .windowMessages(window)
                  .settleBatch(settleBatch)
                  .leaseDuration(deadly ? Duration.ofMillis(900) : Duration.ofSeconds(9))
                  .heartbeatInterval(Duration.ofMillis(300))
                  .crashAttempts(1_000)
                  .lateAfter(Duration.ofMillis(300))
                  .retry(RetryPolicy.fixed(Duration.ofMillis(200), 1_000)));
      for (String name : HANDLERS) {
        HandlerSpec<String> handler =
            HandlerSpec.of(
                name,
                "order",
                String.class,
                (number, delivery) -> receive(this, Integer.parseInt(number), delivery));
        builder.handler(name.equals("bill") ? handler.alsoType("refund") : handler);
      }
    }

    /** A duty has one thread. */
    void step(String duty) {
      if (!dead && runningDuties.add(duty)) {
        relay.steps().step(duty);
        runningDuties.remove(duty);
      }
    }

    void work() {
      Runnable worker = workers.poll();
      if (worker != null && !dead) {
        worker.run();
      }
    }

    void stop() {
      while (!workers.isEmpty()) {
        work();
      }
      relay.posthorn().stop(Duration.ofSeconds(1));
    }
  }

  RandomSchedule(long seed) {
    this.random = new Random(seed);
    this.scene = new Scene(1 + random.nextInt(2));
    this.failing = random.nextBoolean();
    this.deadly = random.nextInt(3) == 0;
    this.window = 4 + random.nextInt(20);
    this.settleBatch = 1 + random.nextInt(8);
    members.add(new Member());
    members.add(new Member());
  }

  /** Lets things happen; then the relays that are left do what there is to do. */
  void run(int actions) {
    for (int i = 0; i < actions && disorder.isEmpty(); i++) {
      act();
    }
    quiet = true;
    for (int i = 0; i < 20_000 && disorder.isEmpty() && !scene.rows().noMessages(); i++) {
      for (Member member : members) {
        member.relay.steps().runOnce();
        while (!member.workers.isEmpty()) {
          member.work();
        }
      }
      scene.clock().advance(Duration.ofMillis(200));
    }
  }

  /** Deliveries that began too early. */
  List<String> disorder() {
    return disorder;
  }

  /** Numbers that a lane has not got. */
  List<String> missing() {
    List<String> missing = new ArrayList<>();
    expected.forEach(
        (lane, numbers) -> {
          Set<Integer> got = done.getOrDefault(lane, Set.of());
          numbers.stream()
              .filter(number -> !got.contains(number))
              .forEach(number -> missing.add(lane + number));
        });
    return missing;
  }

  List<String> story() {
    return story;
  }

  private void receive(Member member, int number, Delivery delivery) {
    if (member.dead) {
      throw new IllegalStateException("it has died");
    }
    String lane = delivery.handler() + " " + delivery.key();
    Set<Integer> before = done.computeIfAbsent(lane, any -> new HashSet<>());
    story.add("%s begins %s%d in epoch %d".formatted(member.name, lane, number, delivery.epoch()));
    for (int earlier : expected.getOrDefault(lane, List.of())) {
      if (earlier < number && !before.contains(earlier)) {
        disorder.add("%s%d before %d".formatted(lane, number, earlier));
        return;
      }
    }
    member.deliveries++;
    for (int i = random.nextInt(6); i > 0 && depth < DEEPEST && disorder.isEmpty(); i--) {
      act();
    }
    member.deliveries--;
    if (member.dead || (failing && !quiet && random.nextInt(12) == 0)) {
      story.add("%s fails with %s%d".formatted(member.name, lane, number));
      throw new IllegalStateException("as planned");
    }
    before.add(number);
  }

  private void act() {
    if (quiet) {
      return;
    }
    depth++;
    Member member = members.get(random.nextInt(members.size()));
    switch (random.nextInt(20)) {
      case 0, 1, 2, 3 -> publish();
      case 4, 5 -> member.step("lease");
      case 6, 7, 8, 9 -> member.step("read");
      case 10, 11, 12 -> member.step("settle");
      case 13, 14, 15, 16 -> member.work();
      case 17 -> scene.clock().advance(Duration.ofMillis(1 + random.nextInt(400)));
      case 18 -> join();
      default -> end(member);
    }
    depth--;
  }

  private void publish() {
    String key = KEYS.get(random.nextInt(KEYS.size()));
    List<Message> messages = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      int number = published.merge(key, 1, Integer::sum);
      String type = random.nextBoolean() ? "order" : "refund";
      for (String handler : TYPES.get(type)) {
        expected.computeIfAbsent(handler + " " + key, any -> new ArrayList<>()).add(number);
      }
      messages.add(Message.of(type).key(key).payload(Integer.toString(number)).build());
    }
    scene.publish(members.get(0).relay.posthorn(), messages.toArray(Message[]::new));
  }

  private void join() {
    if (random.nextInt(8) == 0 && members.size() < 4) {
      members.add(new Member());
    }
  }

  private void end(Member member) {
    if (deadly && random.nextInt(4) == 0) {
      story.add(member.name + " dies");
      member.dead = true;
      members.remove(member);
      if (members.isEmpty()) {
        members.add(new Member());
      }
    } else if (depth == 1
        && members.size() > 1
        && member.deliveries == 0
        && random.nextInt(10) == 0) {
      story.add(member.name + " stops");
      members.remove(member);
      member.stop();
    }
  }
}
