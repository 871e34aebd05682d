/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DelayTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final Publishing alone = new Publishing(builder -> {});
  private final Publishing promoted =
      new Publishing(builder -> builder.publish(p -> p.promotedElsewhere(true)));

  private static Message after(Duration delay) {
    return Message.of("t").deliverAfter(delay).build();
  }

  private static Message at(Instant time) {
    return Message.of("t").deliverAt(time).build();
  }

  @Test
  void aProcessThatOnlyPublishesRefusesDelayedMessagesThatNobodyWouldPromote() {
    String refusal =
        "Message of type \"t\" not published: it is delayed, and this process only publishes, so nobody would deliver it"
            + " when it is due; set publish.promoted-elsewhere if a relay runs in another process, or publish it where one runs";

    assertThat(alone.refusal(after(HOUR))).isEqualTo(refusal);
    assertThat(alone.refusal(at(Instant.EPOCH))).isEqualTo(refusal);
  }

  @Test
  void aProcessWhoseDelayedMessagesArePromotedElsewhereTakesThem() {
    promoted.accept(after(HOUR), at(Instant.parse("2030-01-01T00:00:00Z")), after(Duration.ZERO));

    assertThat(promoted.rows().deferred()).hasSize(3);
    assertThat(promoted.rows().ready()).isEmpty();
  }

  @Test
  void aProcessWithARelayTakesDelayedMessages() {
    try (var posthorn =
        promoted.withRelay().handler("h", "t", String.class, (payload, delivery) -> {}).build()) {
      promoted.transactions().run(() -> posthorn.outbox().publish(after(HOUR)));
    }

    assertThat(promoted.rows().deferred()).hasSize(1);
  }

  @Test
  void aDelayAndATimeTogetherAreRefused() {
    assertThat(
            promoted.refusal(Message.of("t").deliverAfter(HOUR).deliverAt(Instant.EPOCH).build()))
        .isEqualTo(
            "Message of type \"t\" not published: it has both deliverAfter and deliverAt; choose one");
  }

  @Test
  void absurdDelaysAreRefused() {
    assertThat(promoted.refusal(after(Duration.ofNanos(-1)))).contains("its delay is negative");
    assertThat(promoted.refusal(after(RetryPolicy.LONGEST_DELAY.plusNanos(1))))
        .contains("its delay is longer than 100 years");
    assertThat(promoted.refusal(after(Duration.ofSeconds(Long.MAX_VALUE))))
        .contains("its delay is longer than 100 years");
    promoted.accept(after(RetryPolicy.LONGEST_DELAY));
  }

  @Test
  void timesThatNotEveryDatabaseCanStoreAreRefused() {
    assertThat(promoted.refusal(at(Instant.parse("0000-12-31T23:59:59Z"))))
        .contains("its delivery time is not between the years 1 and 9999");
    assertThat(promoted.refusal(at(Instant.MAX))).contains("its delivery time is not between");
    promoted.accept(
        at(Instant.parse("0001-01-01T00:00:00Z")), at(Instant.parse("9999-12-31T23:59:59Z")));
  }
}
