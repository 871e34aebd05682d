/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.posthorn.spi.Duty;
import io.posthorn.spi.Duty.StepResult;
import io.posthorn.spi.DutyRunner;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final StepResult IN_AN_HOUR = new StepResult(0, Duration.ofHours(1));

  private final RecordingLogger logger = new RecordingLogger();
  private final DutyRunner runner =
      Loop.onThreads("loop-test", new FailureLog(logger, "loop-test", Ticker.system()), () -> {});
  private final BlockingQueue<Long> passes = new LinkedBlockingQueue<>();
  private final List<DutyRunner.RunningDuty> started = new ArrayList<>();
  private volatile Thread loopThread;

  /**
   * @param step gets the number of the pass, from 1
   */
  private DutyRunner.RunningDuty start(IntFunction<StepResult> step) {
    AtomicInteger number = new AtomicInteger();
    DutyRunner.RunningDuty running =
        runner.start(
            new Duty() {
              @Override
              public String name() {
                return "test";
              }

              @Override
              public StepResult runOnce() {
                loopThread = Thread.currentThread();
                passes.add(System.nanoTime());
                return step.apply(number.incrementAndGet());
              }
            });
    started.add(running);
    return running;
  }

  private long nextPass() throws InterruptedException {
    Long at = passes.poll(LONG.toSeconds(), TimeUnit.SECONDS);
    assertThat(at).as("another pass").isNotNull();
    return at;
  }

  @AfterEach
  void stopAll() {
    started.forEach(running -> running.stop(LONG));
  }

  @Test
  void nudgeDoesNotShortenARestAndIsNotForgotten() throws Exception {
    Duration rest = Duration.ofMillis(100);
    CountDownLatch nudged = new CountDownLatch(1);
    DutyRunner.RunningDuty running =
        start(
            number -> {
              await(nudged);
              return number == 1 ? new StepResult(1, Duration.ofHours(1), rest) : IN_AN_HOUR;
            });
    long first = passes.poll(20, TimeUnit.SECONDS);
    running.nudge();
    nudged.countDown();
    long second = passes.poll(20, TimeUnit.SECONDS);
    assertThat(second - first).isGreaterThanOrEqualTo(rest.toNanos());
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aNudgeWakesAWaitingLoop() throws Exception {
    DutyRunner.RunningDuty running = start(number -> IN_AN_HOUR);
    nextPass();

    running.nudge();

    assertThatCode(this::nextPass).doesNotThrowAnyException();
  }

  @Test
  void aNudgeDuringAPassIsNotLost() throws Exception {
    CountDownLatch nudged = new CountDownLatch(1);
    DutyRunner.RunningDuty running =
        start(
            number -> {
              awaitQuietly(nudged);
              return IN_AN_HOUR;
            });
    nextPass();

    running.nudge();
    nudged.countDown();

    assertThatCode(this::nextPass).doesNotThrowAnyException();
  }

  @Test
  void withoutANudgeTheNextPassComesWhenTheLastOneAskedForIt() throws Exception {
    start(number -> number == 1 ? new StepResult(0, Duration.ofMillis(50)) : IN_AN_HOUR);

    long first = nextPass();

    assertThat(Duration.ofNanos(nextPass() - first)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
  }

  @Test
  void nudgesDoNotShortenTheBackOffAfterFailures() throws Exception {
    DutyRunner.RunningDuty running =
        start(
            number -> {
              throw new IllegalStateException("down");
            });
    List<Long> at = new ArrayList<>(List.of(nextPass()));
    while (at.size() < 5) {
      running.nudge();
      Long next = passes.poll(100, TimeUnit.MICROSECONDS);
      if (next != null) {
        at.add(next);
      }
    }

    for (int i = 1; i < 5; i++) {
      assertThat(Duration.ofNanos(at.get(i) - at.get(i - 1)))
          .as("pause after failure %d", i)
          .isGreaterThanOrEqualTo(Duration.ofMillis(20L << (i - 1)));
    }
  }

  @Test
  void aFailureIsReportedAndTheLoopGoesOn() throws Exception {
    start(
        number -> {
          if (number == 1) {
            throw new IllegalStateException("down");
          }
          return IN_AN_HOUR;
        });

    nextPass();
    nextPass();

    assertThat(logger.lines()).first().asString().contains("duty \"test\" fails: down");
  }

  @Test
  void evenAnErrorDoesNotEndTheLoop() throws Exception {
    start(
        number -> {
          if (number == 1) {
            throw new StackOverflowError("deep");
          }
          return IN_AN_HOUR;
        });

    nextPass();

    assertThatCode(this::nextPass).doesNotThrowAnyException();
  }

  @Test
  void whatIsThrownWhileAFailureIsReportedDoesNotEndTheLoop() throws Exception {
    DutyRunner reportingFails =
        Loop.onThreads(
            "loop-test",
            new FailureLog(new ThrowingLogger(), "loop-test", Ticker.system()),
            () -> {});
    AtomicInteger number = new AtomicInteger();
    CountDownLatch second = new CountDownLatch(2);
    started.add(
        reportingFails.start(
            new TestDuty(
                () -> {
                  second.countDown();
                  if (number.incrementAndGet() == 1) {
                    throw new InternalError("in the duty");
                  }
                  return IN_AN_HOUR;
                })));

    assertThat(second.await(20, TimeUnit.SECONDS)).as("a second pass").isTrue(); // issue 17, D4
  }

  @Test
  void whatIsThrownOutsideThePassDoesNotEndTheLoop() throws Exception {
    AtomicInteger number = new AtomicInteger();
    CountDownLatch second = new CountDownLatch(2);
    started.add(
        runner.start(
            new TestDuty(
                () -> {
                  second.countDown();
                  return number.incrementAndGet() == 1
                      ? new StepResult(0, Duration.ofSeconds(Long.MAX_VALUE)) // no such nanos
                      : IN_AN_HOUR;
                })));

    assertThat(second.await(20, TimeUnit.SECONDS)).as("a second pass").isTrue();
  }

  @Test
  void theRelayIsToldWhenAThreadHasEndedThatNobodyHadStopped() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    Loop.start(
        new TestDuty(() -> IN_AN_HOUR),
        new FailureLog(logger, "loop-test", Ticker.system()),
        loop -> threadThat(() -> throwError("the thread's stack is gone")),
        told::countDown);

    assertThat(told.await(20, TimeUnit.SECONDS)).isTrue(); // issue 17, D4
  }

  @Test
  void theRelayIsNotToldOfAThreadThatWasStopped() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    CountDownLatch stopping = new CountDownLatch(1);
    Thread[] thread = new Thread[1];
    DutyRunner.RunningDuty running =
        Loop.start(
            new TestDuty(() -> IN_AN_HOUR),
            new FailureLog(logger, "loop-test", Ticker.system()),
            loop -> {
              thread[0] =
                  threadThat(
                      () -> {
                        awaitQuietly(stopping);
                        throwError("at the end");
                      });
              return thread[0];
            },
            told::countDown);
    running.stop(Duration.ofMillis(1));
    stopping.countDown();
    thread[0].join(LONG.toMillis());

    assertThat(told.getCount()).isOne();
  }

  private static Thread threadThat(Runnable action) {
    Thread thread = new Thread(action);
    thread.setUncaughtExceptionHandler((ended, cause) -> {});
    return thread;
  }

  private static void throwError(String message) {
    throw new InternalError(message);
  }

  private record TestDuty(Supplier<StepResult> pass) implements Duty {
    @Override
    public String name() {
      return "test";
    }

    @Override
    public StepResult runOnce() {
      return pass.get();
    }
  }

  @Test
  void stopEndsAWaitingLoopAtOnce() throws Exception {
    DutyRunner.RunningDuty running = start(number -> IN_AN_HOUR);
    nextPass();

    assertThat(running.stop(LONG)).isTrue();
    assertThat(loopThread.isAlive()).isFalse();
    assertThat(running.stop(LONG)).as("stopped twice").isTrue();
  }

  @Test
  void stopEndsABackOffAtOnce() throws Exception {
    DutyRunner.RunningDuty running =
        start(
            number -> {
              throw new IllegalStateException("down");
            });
    for (int i = 0; i < 4; i++) {
      nextPass();
    }

    assertThat(running.stop(LONG)).isTrue();
    assertThat(loopThread.isAlive()).isFalse();
  }

  @Test
  void stopGivesUpAfterItsDeadlineAndInterruptsThePass() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    DutyRunner.RunningDuty running =
        start(
            number -> {
              try {
                never.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                interrupted.countDown();
              }
              return IN_AN_HOUR;
            });
    nextPass();

    assertThat(running.stop(Duration.ofMillis(10))).isFalse();
    assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
    loopThread.join(LONG.toMillis());
    assertThat(loopThread.isAlive()).isFalse();
  }

  @Test
  void aPassThatFailsBecauseItWasInterruptedByStopIsNotReported() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    DutyRunner.RunningDuty running =
        start(
            number -> {
              try {
                never.await();
                return IN_AN_HOUR;
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
              }
            });
    nextPass();
    running.stop(Duration.ofMillis(10));
    loopThread.join(LONG.toMillis());

    assertThat(logger.lines()).isEmpty();
  }

  @Test
  void aStrayInterruptDoesNotEndTheLoop() throws Exception {
    start(number -> IN_AN_HOUR);
    nextPass();

    loopThread.interrupt();

    assertThatCode(this::nextPass).doesNotThrowAnyException();
    assertThat(loopThread.isAlive()).isTrue();
  }

  @Test
  void aDutyMayStopItself() throws Exception {
    BlockingQueue<Boolean> answers = new LinkedBlockingQueue<>();
    CountDownLatch known = new CountDownLatch(1);
    DutyRunner.RunningDuty[] self = new DutyRunner.RunningDuty[1];
    self[0] =
        start(
            number -> {
              awaitQuietly(known);
              answers.add(self[0].stop(LONG));
              return IN_AN_HOUR;
            });
    known.countDown();

    assertThat(answers.poll(20, TimeUnit.SECONDS)).isTrue();
    loopThread.join(LONG.toMillis());
    assertThat(loopThread.isAlive()).isFalse();
  }

  @Test
  void awaitReturnsWhetherTheConditionCameTrueInTime() {
    AtomicInteger asked = new AtomicInteger();

    assertThat(runner.await(() -> asked.incrementAndGet() > 3, LONG)).isTrue();
    assertThat(runner.await(() -> false, Duration.ofMillis(5))).isFalse();
  }

  @Test
  void awaitEndsWhenInterruptedAndKeepsTheFlag() {
    Thread.currentThread().interrupt();

    assertThat(runner.await(() -> false, LONG)).isFalse();
    assertThat(Thread.interrupted()).isTrue();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      if (!latch.await(20, TimeUnit.SECONDS)) {
        throw new IllegalStateException("nobody opened the latch");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
