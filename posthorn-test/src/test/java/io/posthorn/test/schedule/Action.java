/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.schedule;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * One step of a schedule. It draws all that it needs from a seed of its own, so that it does the
 * same whatever other steps are left out.
 *
 * @param depth up to how many deliveries it may run inside of: one that is under way runs the steps
 *     that follow, as long as they may be so deep
 * @param size how many more messages are published than one, or how long time passes
 */
record Action(Step step, int depth, int size, long seed) {
  private static final int DEEPEST = 3;
  private static final int LARGEST = 3;

  enum Step {
    PUBLISH(4),
    LEASE(2),
    READ(4),
    SETTLE(3),
    WORK(6),
    ANSWER(4),
    WATCH(1),
    TIME(1),
    JOIN(1),
    END(1),
    DESTINATION(1),
    PAUSE(1),
    STEER(1);

    private final int share;

    Step(int share) {
      this.share = share;
    }
  }

  private static final List<Step> DRAWN =
      List.of(Step.values()).stream()
          .flatMap(step -> IntStream.range(0, step.share).mapToObj(any -> step))
          .toList();

  static Action any(Random random) {
    return new Action(
        DRAWN.get(random.nextInt(DRAWN.size())),
        random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(DEEPEST),
        random.nextInt(LARGEST + 1),
        random.nextLong());
  }

  Action withDepth(int other) {
    return new Action(step, other, size, seed);
  }

  Action withSize(int other) {
    return new Action(step, depth, other, seed);
  }
}
