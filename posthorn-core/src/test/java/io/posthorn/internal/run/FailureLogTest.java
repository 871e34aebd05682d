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
  private static final Duration STABLE = Duration.ofSeconds(5);

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
        .containsExactly(
            "WARNING [a] cannot use the database: connection refused. Nothing is lost; trying again, next report in a minute",
            "WARNING [a] still cannot use the database after 60 s and 121 failures: connection refused. Nothing is lost; trying again, next report in a minute",
            "WARNING [a] still cannot use the database after 120 s and 241 failures: connection refused. Nothing is lost; trying again, next report in a minute");
  }

  @Test
  void databaseIsBackWhenEveryDutyThatMissedItHasWorkedAgain() {
    databaseMissing("lease");
    databaseMissing("read");
    advance(STABLE);
    log.succeeded("read"); // without a lease it has nothing to do, so it does not fail
    advance(STABLE);
    log.succeeded("read");
    assertThat(lines.all).hasSize(1);

    log.succeeded("lease");
    advance(STABLE);
    log.succeeded("lease");
    log.succeeded("lease");
    log.succeeded("settle");

    assertThat(lines.all.subList(1, lines.all.size()))
        .containsExactly("INFO [a] can use the database again after 10 s");
  }

  @Test
  void nextOutageIsNewsHoweverSoonItComes() { // hostile.md, D8
    databaseMissing("lease");
    backFor(STABLE, "lease");
    advance(Duration.ofSeconds(1));

    databaseMissing("lease");
    advance(Duration.ofSeconds(35));
    backFor(STABLE, "lease");

    assertThat(lines.all)
        .extracting(line -> line.replaceFirst(": .*", ""))
        .containsExactly(
            "WARNING [a] cannot use the database",
            "INFO [a] can use the database again after 0.0 s",
            "WARNING [a] cannot use the database",
            "INFO [a] can use the database again after 35 s");
  }

  @Test
  void anOutageThatNobodyWasThereToEndIsNotTheNextOne() {
    databaseMissing("signal");
    log.succeeded("signal"); // and then there is nothing to signal for a long time
    advance(Duration.ofMinutes(10));
    databaseMissing("signal");

    assertThat(lines.all)
        .extracting(line -> line.replaceFirst(": .*", ""))
        .containsExactly(
            "WARNING [a] cannot use the database",
            "INFO [a] can use the database again after 0.0 s",
            "WARNING [a] cannot use the database");
  }

  @Test
  void whatWorksForAMomentOnlyIsNotBack() { // hostile.md, D8: "answers again after 0 s"
    databaseMissing("lease");
    log.succeeded("lease");
    advance(Duration.ofSeconds(4));
    log.succeeded("lease");
    databaseMissing("settle");
    advance(Duration.ofSeconds(31));
    databaseMissing("settle");
    backFor(STABLE, "settle");

    assertThat(lines.all.subList(1, lines.all.size()))
        .containsExactly("INFO [a] can use the database again after 35 s");
  }

  @Test
  void dutyThatFailsForAnotherReasonHasItsDatabaseBack() {
    databaseMissing("read");
    log.failed("read", new StoreException(StoreException.Kind.UNKNOWN, "no rights", null));
    advance(STABLE);
    log.succeeded("lease");

    assertThat(lines.all.get(2)).isEqualTo("INFO [a] can use the database again after 0.0 s");
  }

  @Test
  void otherFailuresAreSaidForEachDutyAndWithTheirCause() {
    RuntimeException cause = new IllegalStateException("broken");
    log.failed("read", cause);
    log.failed("settle", cause);
    log.failed("read", cause);
    advance(Duration.ofMinutes(1));
    log.failed("read", cause);
    advance(Duration.ofSeconds(2));
    backFor(STABLE, "read");

    assertThat(lines.all)
        .containsExactly(
            "WARNING [a] duty \"read\" fails: broken. Trying again, next report in a minute",
            "WARNING [a] duty \"settle\" fails: broken. Trying again, next report in a minute",
            "WARNING [a] duty \"read\" still fails after 60 s and 3 failures: broken. Trying again, next report in a minute",
            "INFO [a] duty \"read\" works again after 62 s");
    assertThat(lines.causes).containsExactly(cause, cause, cause);
  }

  @Test
  void onlyAMissingDatabaseCountsAsOneWhoeverHasWrappedIt() {
    log.failed("read", new IllegalStateException(StoreException.unavailable("cut", null)));
    log.failed("lease", new StoreException(StoreException.Kind.UNKNOWN, "no rights", null));
    log.failed("settle", new StoreException(StoreException.Kind.CONTENT, "too long", null));

    assertThat(lines.all)
        .extracting(line -> line.replaceFirst("WARNING \\[a] (.*?):.*", "$1"))
        .containsExactly(
            "cannot use the database", "duty \"lease\" fails", "duty \"settle\" fails");
  }

  @Test
  void whatHasNoStateIsCountedAndSaidOnceAMinute() {
    for (int second = 0; second < 61; second++) {
      log.callFailed("listener L", new IllegalStateException("broken"));
      log.succeeded("read");
      advance(Duration.ofSeconds(1));
    }

    assertThat(lines.all)
        .containsExactly(
            "WARNING [a] listener L failed: broken",
            "WARNING [a] listener L failed: broken (and 59 more since the last report)");
  }

  @Test
  void aCallbackThatMissesTheDatabaseKeepsNoOutageOpen() {
    log.callFailed("listener L", StoreException.unavailable("no free connection", null));
    databaseMissing("read");
    backFor(STABLE, "read");

    assertThat(lines.all).hasSize(3);
    assertThat(lines.all.get(2)).startsWith("INFO [a] can use the database again");
  }

  @Test
  void whatCouldNotBeSaidIsSaidWithTheNextFailure() {
    lines.broken = true;
    databaseMissing("read");
    log.succeeded("read");
    lines.broken = false;

    databaseMissing("read");

    assertThat(lines.all).singleElement().asString().contains("cannot use the database");
  }

  private void databaseMissing(String duty) {
    log.failed(duty, StoreException.unavailable("connection refused", null));
  }

  private void backFor(Duration time, String duty) {
    log.succeeded(duty);
    advance(time);
    log.succeeded(duty);
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
      if (thrown != null) {
        causes.add(thrown);
      }
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
