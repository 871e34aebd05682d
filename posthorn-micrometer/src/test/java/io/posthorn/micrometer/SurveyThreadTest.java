/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

import static io.posthorn.micrometer.Stage.message;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.posthorn.Posthorn;
import io.posthorn.spi.StoreException;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.MutableClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Surveys have a thread of their own. */
@Timeout(60)
class SurveyThreadTest {
  private static final String THREAD = "posthorn-outbox-survey-1";

  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final WatchedSurveys surveys =
      new WatchedSurveys(new InMemoryStore(new MutableClock(), 4));
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final Posthorn posthorn =
      Posthorn.publishOnly(surveys.store(), transactions)
          .publish(publish -> publish.acceptUnhandledTypes(true))
          .build();

  @AfterEach
  void close() {
    surveys.release();
    posthorn.close();
  }

  private double scrape() {
    double sum = 0;
    for (Meter meter : registry.getMeters()) {
      sum += meter.measure().iterator().next().getValue();
    }
    return sum;
  }

  private static List<Thread> surveyThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(THREAD))
        .toList();
  }

  private PosthornMetrics each(Duration interval) {
    return PosthornMetrics.builder(registry).surveyInterval(interval).build();
  }

  @Test
  void aHundredScrapesCauseNoMoreThanTheOneSurveyOfTheInterval() throws Exception {
    try (PosthornMetrics metrics = new PosthornMetrics(registry)) {
      metrics.bind(posthorn);
      assertThat(surveys.awaitEnds(1)).isTrue();

      for (int i = 0; i < 100; i++) {
        scrape();
      }

      assertThat(surveys.begun()).isEqualTo(1);
    }
  }

  @Test
  void surveysAreTakenAgainAndAgain() throws Exception {
    try (PosthornMetrics metrics = each(Duration.ofMillis(1))) {
      metrics.bind(posthorn);
      assertThat(surveys.awaitEnds(3)).isTrue();
    }
  }

  @Test
  void theyGoOnAfterAFailure() throws Exception {
    surveys.failWith(StoreException.unavailable("away", null));
    try (PosthornMetrics metrics = each(Duration.ofMillis(1))) {
      metrics.bind(posthorn);
      assertThat(surveys.awaitEnds(2)).isTrue();
    }
  }

  @Test
  void aScrapeDoesNotWaitForADatabaseThatHangs() throws Exception {
    transactions.run(() -> posthorn.outbox().publish(message("a")));
    try (PosthornMetrics metrics = each(Duration.ofMillis(1))) {
      CountDownLatch shown = new CountDownLatch(1);
      registry.config().onMeterAdded(meter -> countIfReady(meter, shown));
      metrics.bind(posthorn);
      assertThat(shown.await(20, SECONDS)).isTrue();
      surveys.hold();
      int before = surveys.begun();

      double ready =
          assertTimeoutPreemptively(
              Duration.ofSeconds(10),
              () -> {
                scrape();
                return registry.get(MeterName.READY.id).gauge().value();
              });

      assertThat(ready).isEqualTo(1);
      assertThat(surveys.begun()).isLessThanOrEqualTo(before + 1);
      surveys.release();
    }
  }

  private static void countIfReady(Meter meter, CountDownLatch shown) {
    if (meter.getId().getName().equals(MeterName.READY.id)) {
      shown.countDown();
    }
  }

  @Test
  void closingEndsTheThread() throws Exception {
    PosthornMetrics metrics = each(Duration.ofMillis(1));
    metrics.bind(posthorn);
    assertThat(surveys.awaitEnds(1)).isTrue();
    List<Thread> running = surveyThreads();
    assertThat(running).hasSize(1).allMatch(Thread::isDaemon);

    metrics.close();

    running.get(0).join(20_000);
    assertThat(running.get(0).isAlive()).isFalse();
  }
}
