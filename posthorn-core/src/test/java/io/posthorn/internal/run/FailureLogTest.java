/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.StoreException;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FailureLogTest {
  private final AtomicLong nanos = new AtomicLong();
  private final Lines lines = new Lines();
  private final FailureLog log = new FailureLog(lines, "a", nanos::get);

  @Test
  void missingDatabaseIsSaidOnceAMinuteWhateverDutyMissesIt() {
    for (int second = 0; second < 121; second++) {
      databaseMissing("read");
      databaseMissing("lease");
      advance(Duration.ofSeconds(1));
    }

    assertThat(lines.all)
        .hasSize(3)
        .allMatch(line -> line.startsWith("WARNING [a] the database is unavailable"));
    assertThat(lines.all.get(1)).contains("(121 times in 60 s)");
  }

  @Test
  void databaseIsBackWhenEveryDutyThatMissedItHasWorkedAgain() {
    databaseMissing("lease");
    databaseMissing("read");
    advance(Duration.ofSeconds(5));
    log.succeeded("read"); // without a lease it has nothing to do, so it does not fail
    assertThat(lines.all).hasSize(1);

    log.succeeded("lease");
    log.succeeded("lease");
    log.succeeded("settle");

    assertThat(lines.all.subList(1, lines.all.size()))
        .containsExactly("INFO [a] the database is available again after 5 s");
  }

  @Test
  void dutyThatTripsOverItsBrokenConnectionAfterTheOutageIsNoNews() {
    databaseMissing("lease");
    log.succeeded("lease");
    advance(Duration.ofSeconds(30));

    databaseMissing("settle");
    log.succeeded("settle");

    assertThat(lines.all).hasSize(2);
  }

  @Test
  void nextOutageIsNews() {
    databaseMissing("lease");
    log.succeeded("lease");
    advance(Duration.ofMinutes(1));

    databaseMissing("lease");
    log.succeeded("lease");

    assertThat(lines.all).hasSize(4);
    assertThat(lines.all.get(2)).contains("(1 times in 0 s)");
  }

  @Test
  void otherFailuresAreSaidForEachDutyAndWithTheirCause() {
    RuntimeException cause = new IllegalStateException("broken");
    log.failed("read", cause);
    log.failed("settle", cause);
    log.failed("read", cause);

    assertThat(lines.all)
        .containsExactly(
            "WARNING [a] duty \"read\" failed (1 times); trying again, next report in a minute",
            "WARNING [a] duty \"settle\" failed (1 times); trying again, next report in a minute");
    assertThat(lines.causes).containsExactly(cause, cause);
  }

  @Test
  void onlyAMissingDatabaseCountsAsOneWhoeverHasWrappedIt() {
    log.failed("read", new IllegalStateException(StoreException.unavailable("cut", null)));
    log.failed("lease", new StoreException(StoreException.Kind.UNKNOWN, "no rights", null));
    log.failed("settle", new StoreException(StoreException.Kind.CONTENT, "too long", null));

    assertThat(lines.all)
        .extracting(line -> line.replaceFirst("WARNING \\[a] (.*?) (is|failed).*", "$1"))
        .containsExactly("the database", "duty \"lease\"", "duty \"settle\"");
  }

  @Test
  void whatCouldNotBeSaidIsSaidWithTheNextFailure() {
    lines.broken = true;
    databaseMissing("read");
    log.succeeded("read");
    lines.broken = false;

    databaseMissing("read");

    assertThat(lines.all).singleElement().asString().contains("is unavailable");
  }

  private void databaseMissing(String duty) {
    log.failed(duty, StoreException.unavailable("connection refused", null));
  }

  private void advance(Duration by) {
    nanos.addAndGet(by.toNanos());
  }

  private static final class Lines implements System.Logger {
    final List<String> all = new ArrayList<>();
    final List<Throwable> causes = new ArrayList<>();
    boolean broken;

    @Override
    public String getName() {
      return "lines";
    }

    @Override
    public boolean isLoggable(Level level) {
      return true;
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
      write(level + " " + message);
      causes.add(thrown);
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
      write(level + " " + new MessageFormat(format).format(parameters));
    }

    private void write(String line) {
      if (broken) {
        throw new InternalError("while logging");
      }
      all.add(line);
    }
  }
}
