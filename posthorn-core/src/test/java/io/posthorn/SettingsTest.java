/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class SettingsTest {
  private static final Handler<String> NOTHING = (payload, delivery) -> {};

  private static Posthorn.Builder relay() {
    return Posthorn.inOneProcess(new UnusedStore(), UnusedStore.NO_TRANSACTIONS);
  }

  private static Posthorn.Builder withHandler() {
    return relay().handler("mailer", "order-placed", String.class, NOTHING);
  }

  private static Posthorn.Builder publishOnly() {
    return Posthorn.publishOnly(new UnusedStore(), UnusedStore.NO_TRANSACTIONS);
  }

  private static List<String> problems(Posthorn.Builder builder) {
    return catchThrowableOfType(ConfigurationException.class, builder::build).problems();
  }

  private static List<String> publishProblems(
      Posthorn.Builder builder, Consumer<PublishOptions> settings) {
    return problems(builder.publish(settings));
  }

  @Test
  void contradictorySettingsAreReportedTogetherInOneMessage() {
    Posthorn.Builder builder =
        relay()
            .handler("mailer", "order-placed", String.class, NOTHING)
            .handler("mailer", "order-shipped", String.class, NOTHING)
            .type("order-placed", String.class)
            .type("order-shipped", String.class)
            .relay(
                r ->
                    r.leaseDuration(Duration.ofSeconds(5))
                        .heartbeatInterval(Duration.ofSeconds(3))
                        .workers(0))
            .publish(p -> p.maxPayloadBytes(0).deleteAtOnce(true));

    ConfigurationException failure =
        catchThrowableOfType(ConfigurationException.class, builder::build);

    assertThat(failure)
        .hasMessage(
            """
            6 problems:
             - java.lang.String was registered for the types "order-placed" and "order-shipped"; choose one
             - relay.heartbeat-interval was 3s but must be at most a third of relay.lease-duration (5s), or one late heartbeat costs the lease
             - relay.workers was 0 but must be at least 1
             - publish.max-payload-bytes was 0 but must be between 1 and 67108864
             - publish.delete-at-once and publish.purge-after are for change data capture, but this process has a relay, which would miss those messages; use publishOnly, or leave them out
             - two handlers are named "mailer"; give each a name of its own""");
    assertThat(failure.problems()).hasSize(6);
  }

  @Test
  void aSingleProblemStandsAlone() {
    assertThat(
            catchThrowableOfType(
                ConfigurationException.class, () -> withHandler().relay(r -> r.workers(0)).build()))
        .hasMessage("relay.workers was 0 but must be at least 1");
  }

  @Test
  void aRelayNeedsAHandler() {
    assertThat(problems(relay()))
        .containsExactly(
            "no handler was registered, so nothing could be delivered; register one, or use publishOnly");
  }

  @Test
  void aProcessThatOnlyPublishesHasNoHandlers() {
    assertThat(problems(publishOnly().handler("mailer", "order-placed", String.class, NOTHING)))
        .containsExactly(
            "handlers were registered but this process only publishes; register them where a relay runs");
  }

  @Test
  void payloadLimitAndBufferHaveBounds() {
    assertThat(publishProblems(withHandler(), p -> p.maxPayloadBytes(64 * 1024 * 1024 + 1)))
        .containsExactly(
            "publish.max-payload-bytes was 67108865 but must be between 1 and 67108864");
    assertThat(publishProblems(withHandler(), p -> p.bufferMessages(0)))
        .containsExactly("publish.buffer-messages was 0 but must be at least 1");
  }

  @Test
  void messagesForChangeDataCaptureAreDeletedAtOnceOrByAgeNotBoth() {
    assertThat(
            publishProblems(
                publishOnly(), p -> p.deleteAtOnce(true).purgeAfter(Duration.ofDays(1))))
        .containsExactly(
            "publish.delete-at-once was true and publish.purge-after was set too; choose one");
    assertThat(publishProblems(publishOnly(), p -> p.purgeAfter(Duration.ZERO)))
        .containsExactly("publish.purge-after was 0s but must be longer than 0s");
    assertThatCode(() -> publishOnly().publish(p -> p.purgeAfter(Duration.ofDays(1))).build())
        .doesNotThrowAnyException();
  }

  @Test
  void idempotencyKeysAreKeptForSomeTime() {
    assertThat(publishProblems(withHandler(), p -> p.idempotencyRetention(Duration.ZERO)))
        .containsExactly("publish.idempotency-retention was 0s but must be longer than 0s");
    assertThat(publishProblems(publishOnly(), p -> p.idempotencyRetention(Duration.ofDays(36_501))))
        .containsExactly(
            "publish.idempotency-retention was longer than 100 years; choose a shorter time");
  }

  @Test
  void delayedMessagesArePromotedWhereARelayRuns() {
    String problem =
        "publish.promoted-elsewhere was true but publish.delete-at-once and publish.purge-after are for outboxes without any relay, so nobody would promote delayed messages; choose one";

    assertThat(publishProblems(publishOnly(), p -> p.promotedElsewhere(true).deleteAtOnce(true)))
        .containsExactly(problem);
    assertThat(
            publishProblems(
                publishOnly(), p -> p.promotedElsewhere(true).purgeAfter(Duration.ofDays(1))))
        .containsExactly(problem);
    assertThatCode(() -> publishOnly().publish(p -> p.promotedElsewhere(true)).build())
        .doesNotThrowAnyException();
  }

  @Test
  void purgingWouldTakeMessagesFromARelay() {
    assertThat(publishProblems(withHandler(), p -> p.purgeAfter(Duration.ofDays(1))))
        .hasSize(1)
        .first()
        .asString()
        .contains("this process has a relay")
        .contains("use publishOnly");
  }

  @Test
  void oneClassRegisteredTwiceForTheSameTypeIsNoProblem() {
    assertThatCode(
            () ->
                withHandler()
                    .type("order-placed", String.class)
                    .type("order-placed", String.class)
                    .build())
        .doesNotThrowAnyException();
  }
}
