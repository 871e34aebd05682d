/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import io.posthorn.benchmarks.subject.Subject;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * W10: 16 writers commit as fast as they can, one key in twelve to a second destination, which does
 * not answer for a while. What the other keys get through meanwhile is compared with what they get
 * through before and after it. At the end everything is delivered.
 *
 * <p>Of the duration a fifth is run-in, three tenths are the time before, three tenths the time
 * with the stuck destination, a fifth is the time after.
 */
final class StuckDestination implements Workload {
  private static final int PARTS = 10;
  private static final int PARTS_RUN_IN = 2;
  private static final int PARTS_BEFORE = 3;
  private static final int PARTS_STUCK = 3;
  private static final int PARTS_AFTER = 2;
  private static final long STICK_AFTER_MILLIS = 500;
  private static final Duration CATCH_UP = Duration.ofMinutes(3);

  private final boolean inTheMiddle;

  /**
   * @param inTheMiddle whether messages are on their way to it when it gets stuck; otherwise it is
   *     so from its first message on
   */
  StuckDestination(boolean inTheMiddle) {
    this.inTheMiddle = inTheMiddle;
  }

  /** What was handled while writers wrote. */
  private record Phase(int handled, long from, long to, ProcessorTime perMessage) {
    double perSecond() {
      return handled * 1e9 / (to - from);
    }

    /** What is left when the keys of the second destination are taken away. */
    double healthyPerSecond() {
      return perSecond() * (Subject.SECOND_ONE_IN - 1) / Subject.SECOND_ONE_IN;
    }
  }

  @Override
  public Outcome run(Stage stage, Effort effort, Progress progress) throws Exception {
    stage.clear();
    Duration part = effort.duration().dividedBy(PARTS);
    Writers writers = new Writers(stage, Steady.WRITERS);
    Handling handling = new Handling();
    Subject subject = stage.subject();
    subject.startRelay(handling);
    Phase before;
    Phase stuck;
    Phase after;
    try {
      subject.useSecondDestination(inTheMiddle);
      writers.run(part.multipliedBy(PARTS_RUN_IN));
      handling.await(writers.committed().size(), Steady.CATCH_UP);
      before = write(stage, writers, handling, part.multipliedBy(PARTS_BEFORE));
      if (!inTheMiddle) {
        handling.await(writers.committed().size(), Steady.CATCH_UP);
        subject.stick(true);
        subject.useSecondDestination(true);
      }
      stuck = writeStuck(stage, writers, handling, part.multipliedBy(PARTS_STUCK));
      progress.say("%,d handled, %,d left".formatted(handling.count(), stage.pending()));
      subject.stick(false);
      handling.await(writers.committed().size(), CATCH_UP);
      after = write(stage, writers, handling, part.multipliedBy(PARTS_AFTER));
      handling.await(writers.committed().size(), Steady.CATCH_UP);
    } finally {
      subject.stopRelay();
    }
    double undisturbed = (before.healthyPerSecond() + after.healthyPerSecond()) / 2;
    Latencies late =
        Latencies.between(writers.committed(), handling.log(), stuck.from(), stuck.to());
    Latencies early =
        Latencies.between(writers.committed(), handling.log(), before.from(), before.to());
    return stuck
        .perMessage()
        .addTo(Runs.judge(stage, writers, handling.log()))
        .perSecond(stuck.perSecond())
        .with("healthyBeforePerSecond", before.healthyPerSecond())
        .with("healthyAfterPerSecond", after.healthyPerSecond())
        .with("healthyStuckToUndisturbed", stuck.perSecond() / undisturbed)
        .with("beforeP50ms", early.millis(0.5))
        .with("stuckP50ms", late.millis(0.5));
  }

  /** Writers write when it gets stuck, so that something is on its way. */
  private Phase writeStuck(Stage stage, Writers writers, Handling handling, Duration duration)
      throws Exception {
    if (!inTheMiddle) {
      return write(stage, writers, handling, duration);
    }
    AtomicReference<Exception> failure = new AtomicReference<>();
    Thread sticking =
        new Thread(
            () -> {
              try {
                TimeUnit.MILLISECONDS.sleep(STICK_AFTER_MILLIS);
                stage.subject().stick(true);
              } catch (Exception e) {
                failure.set(e);
              }
            },
            "stick");
    sticking.start();
    Phase phase = write(stage, writers, handling, duration);
    sticking.join();
    if (failure.get() != null) {
      throw failure.get();
    }
    return phase;
  }

  private static Phase write(Stage stage, Writers writers, Handling handling, Duration duration)
      throws Exception {
    ProcessorTime before = ProcessorTime.read(stage);
    int handledBefore = handling.count();
    long from = System.nanoTime();
    writers.run(duration);
    long to = System.nanoTime();
    int handled = handling.count() - handledBefore;
    return new Phase(handled, from, to, ProcessorTime.read(stage).perMessage(before, handled));
  }
}
