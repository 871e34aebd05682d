/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class RelaySettingsTest {

  private static Posthorn.Builder builder() {
    return Posthorn.inOneProcess(new UnusedStore(), UnusedStore.NO_TRANSACTIONS)
        .handler("mailer", "order-placed", String.class, (payload, delivery) -> {});
  }

  private static List<String> problems(Consumer<RelayOptions> settings) {
    return catchThrowableOfType(
            ConfigurationException.class, () -> builder().relay(settings).build())
        .problems();
  }

  private static void assertProblem(Consumer<RelayOptions> settings, String problem) {
    assertThat(problems(settings)).containsExactly(problem);
  }

  @Test
  void theDefaultsFit() {
    assertThatCode(() -> builder().build()).doesNotThrowAnyException();
  }

  @Test
  void aHeartbeatMayTakeAThirdOfTheLeaseAndNoMore() {
    Duration lease = Duration.ofSeconds(15);

    assertThatCode(
            () ->
                builder()
                    .relay(r -> r.leaseDuration(lease).heartbeatInterval(Duration.ofSeconds(5)))
                    .build())
        .doesNotThrowAnyException();
    assertProblem(
        r -> r.leaseDuration(lease).heartbeatInterval(Duration.ofSeconds(10)),
        "relay.heartbeat-interval was 10s but must be at most a third of relay.lease-duration (15s), or one late heartbeat costs the lease");
  }

  @Test
  void aBusyPollMustNotBeRarerThanAnIdleOne() {
    assertProblem(
        r -> r.pollInterval(Duration.ofMillis(1500)).busyPollInterval(Duration.ofSeconds(2)),
        "relay.busy-poll-interval was 2s but must not be longer than relay.poll-interval (1500ms)");
  }

  @Test
  void whereThereAreNoSignalsItPollsMoreOftenUnlessIntervalsWereSet() {
    RelayOptions usual = new RelayOptions();
    assertThat(usual.pollInterval()).isEqualTo(Duration.ofSeconds(1));
    assertThat(usual.busyPollInterval()).isEqualTo(Duration.ofMillis(50));
    assertThat(usual.withoutSignals().pollInterval()).isEqualTo(Duration.ofMillis(500));
    assertThat(usual.withoutSignals().busyPollInterval()).isEqualTo(Duration.ofMillis(20));

    RelayOptions set =
        new RelayOptions()
            .pollInterval(Duration.ofSeconds(9))
            .busyPollInterval(Duration.ofSeconds(3));
    assertThat(set.withoutSignals().pollInterval()).isEqualTo(Duration.ofSeconds(9));
    assertThat(set.withoutSignals().busyPollInterval()).isEqualTo(Duration.ofSeconds(3));

    RelayOptions onlyBusy = new RelayOptions().busyPollInterval(Duration.ofMillis(800));
    assertThat(onlyBusy.withoutSignals().pollInterval()).isEqualTo(Duration.ofMillis(800));
  }

  @Test
  void durationsThatMustPassAreLongerThanZero() {
    assertProblem(
        r -> r.lookBack(Duration.ZERO), "relay.look-back was 0s but must be longer than 0s");
    assertProblem(
        r -> r.sweepInterval(Duration.ofSeconds(-1)),
        "relay.sweep-interval was -1s but must be longer than 0s");
    assertProblem(
        r -> r.lateAfter(Duration.ZERO), "relay.late-after was 0s but must be longer than 0s");
    assertProblem(
        r -> r.stopTimeout(Duration.ZERO), "relay.stop-timeout was 0s but must be longer than 0s");
    assertProblem(
        r -> r.busyPollInterval(Duration.ZERO),
        "relay.busy-poll-interval was 0s but must be longer than 0s");
    assertThat(problems(r -> r.pollInterval(Duration.ZERO)))
        .contains("relay.poll-interval was 0s but must be longer than 0s");
    assertThat(problems(r -> r.leaseDuration(Duration.ZERO)))
        .contains("relay.lease-duration was 0s but must be longer than 0s");
    assertProblem(
        r -> r.heartbeatInterval(Duration.ZERO),
        "relay.heartbeat-interval was 0s but must be longer than 0s");
  }

  @Test
  void durationsThatMayBeZeroAreNotNegative() {
    assertThatCode(
            () ->
                builder()
                    .relay(r -> r.startupDelay(Duration.ZERO).unknownTypeGrace(Duration.ZERO))
                    .build())
        .doesNotThrowAnyException();
    assertProblem(
        r -> r.retention(Duration.ofSeconds(-1)),
        "relay.retention was -1s but must not be negative");
    assertProblem(
        r -> r.startupDelay(Duration.ofMillis(-1)),
        "relay.startup-delay was -1ms but must not be negative");
    assertProblem(
        r -> r.unknownTypeGrace(Duration.ofSeconds(-1)),
        "relay.unknown-type-grace was -1s but must not be negative");
  }

  @Test
  void durationsThatNoClockCanCountAreRefused() {
    Duration forever = ChronoUnit.FOREVER.getDuration();

    assertProblem(
        r -> r.unknownTypeGrace(forever),
        "relay.unknown-type-grace was longer than 100 years; choose a shorter time");
    assertProblem(
        r -> r.leaseDuration(forever),
        "relay.lease-duration was longer than 1 day; choose a shorter time");
    assertThat(problems(r -> r.heartbeatInterval(forever)))
        .contains("relay.heartbeat-interval was longer than 1 day; choose a shorter time");
  }

  @Test
  void sizesHaveALeastValue() {
    assertProblem(r -> r.windowMessages(0), "relay.window-messages was 0 but must be at least 1");
    assertProblem(
        r -> r.windowBytes(1023), "relay.window-bytes was 1023 but must be at least 1024");
    assertProblem(r -> r.settleBatch(0), "relay.settle-batch was 0 but must be at least 1");
    assertProblem(r -> r.workers(0), "relay.workers was 0 but must be at least 1");
  }

  @Test
  void theNameIsShortAndVisible() {
    assertProblem(
        r -> r.name(" "),
        "relay.name was \" \" but must have 1 to 100 characters and no control characters");
    assertProblem(
        r -> r.name("a\nb"),
        "relay.name was \"a\\nb\" but must have 1 to 100 characters and no control characters");
    assertProblem(
        r -> r.name("x".repeat(101)),
        "relay.name was \""
            + "x".repeat(40)
            + "…\" but must have 1 to 100 characters and no control characters");
    assertProblem(
        r -> r.applicationVersion(""),
        "relay.application-version was \"\" but must have 1 to 100 characters and no control characters");
    assertThatCode(() -> builder().relay(r -> r.name("x".repeat(100))).build())
        .doesNotThrowAnyException();
  }

  @Test
  void virtualThreadsNeedJava21() {
    int java = Runtime.version().feature();

    assertThat(problems(r -> r.virtualThreads(true).workers(0)))
        .filteredOn(problem -> problem.startsWith("relay.virtual-threads"))
        .isEqualTo(
            java >= 21
                ? List.of()
                : List.of(
                    "relay.virtual-threads was true but this is Java %d; use Java 21 or newer, or set it to false"
                        .formatted(java)));
  }

  @Test
  void virtualThreadsAndAnExecutorAreOneTooMany() {
    assertThat(problems(r -> r.virtualThreads(true).executor(Runnable::run)))
        .contains("relay.virtual-threads was true but an executor was given too; choose one");
  }
}
