/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.StoreException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FailureLogTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // elapsed time may overflow
  private final RecordingLogger logger = new RecordingLogger();
  private final FailureLog log = new FailureLog(logger, "relay-a", nanos::get);

  private void advance(long seconds) {
    nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  private static StoreException away() {
    return StoreException.unavailable("connection cut", null);
  }

  @Test
  void aMissingDatabaseIsSaidOnceAMinuteWithHowOften() {
    log.failed("read", away());
    for (int second = 1; second <= 60; second++) {
      advance(1);
      log.failed("read", away());
    }

    assertThat(logger.lines())
        .containsExactly(
            "WARNING [relay-a] the database did not answer (1 times in 0 s): connection cut. Nothing is lost; trying again, next report in a minute",
            "WARNING [relay-a] the database did not answer (61 times in 60 s): connection cut. Nothing is lost; trying again, next report in a minute");
  }

  @Test
  void allDutiesTogetherReportAMissingDatabaseOnce() {
    log.failed("read", away());
    log.failed("lease", away());
    log.failed("settle", away());

    assertThat(logger.lines()).hasSize(1);
  }

  @Test
  void itIsSaidOnceThatTheDatabaseAnswersAgain() {
    log.failed("read", away());
    advance(7);
    log.succeeded("read");
    log.succeeded("read");

    assertThat(logger.lines())
        .hasSize(2)
        .last()
        .isEqualTo("INFO [relay-a] the database answers again after 7 s");
  }

  @Test
  void aDutyThatStillWorksDoesNotHideOneThatFails() {
    log.failed("settle", away());
    log.succeeded("lease");

    assertThat(logger.lines()).hasSize(1);
  }

  @Test
  void afterItHasWorkedAgainTheNextFailureIsSaidAtOnce() {
    log.failed("read", away());
    log.succeeded("read");
    log.failed("read", away());

    assertThat(logger.lines()).hasSize(3).last().asString().contains("did not answer (1 times");
  }

  @Test
  void anotherFailureIsSaidWithItsCauseOnceAMinute() {
    log.failed("read", new IllegalStateException("bug"));
    log.failed("read", new IllegalStateException("bug"));
    advance(60);
    log.failed("read", new IllegalStateException("bug"));

    assertThat(logger.lines())
        .containsExactly(
            "WARNING [relay-a] duty \"read\" failed (1 times); trying again, next report in a minute <bug>",
            "WARNING [relay-a] duty \"read\" failed (3 times); trying again, next report in a minute <bug>");
  }

  @Test
  void itIsSaidOnceThatADutyWorksAgain() {
    log.failed("read", new IllegalStateException("bug"));
    advance(3);
    log.succeeded("lease");
    log.succeeded("read");
    log.succeeded("read");

    assertThat(logger.lines())
        .hasSize(2)
        .last()
        .isEqualTo("INFO [relay-a] duty \"read\" works again after 3 s");
  }

  @Test
  void contentThatTheDatabaseRefusesIsNotReportedAsAMissingDatabase() {
    log.failed("settle", StoreException.refused("too long", null));

    assertThat(logger.lines()).hasSize(1).first().asString().contains("duty \"settle\" failed");
  }

  @Test
  void aFailureWithoutMessageIsNamedByItsClass() {
    log.failed("read", StoreException.unavailable(null, null));

    assertThat(logger.lines())
        .hasSize(1)
        .first()
        .asString()
        .contains(StoreException.class.getName());
  }

  @Test
  void successWithoutFailureSaysNothing() {
    log.succeeded("read");

    assertThat(logger.lines()).isEmpty();
  }
}
