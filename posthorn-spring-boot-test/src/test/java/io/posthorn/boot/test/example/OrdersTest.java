/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.boot.test.OutboxTest;
import io.posthorn.boot.test.OutboxTester;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** The example of the documents. */
// docs:begin
@SpringBootTest(properties = "posthorn.retry.delay=1m")
@OutboxTest
class OrdersTest {
  @Autowired Orders orders;
  @Autowired MailServer mailServer;
  @Autowired OutboxTester outbox;

  @Test
  void anOrderIsAnnouncedAndMailed() {
    orders.place("o-1", "ada");

    assertThat(outbox.published("order-placed", OrderPlaced.class))
        .containsExactly(new OrderPlaced("o-1", "ada"));
    assertThat(mailServer.sent).doesNotContain("ada");

    outbox.drain();

    assertThat(mailServer.sent).containsOnlyOnce("ada");
  }

  @Test
  void aMailFollowsLaterIfTheServerFails() {
    mailServer.fails = true;
    orders.place("o-2", "bob");

    assertThat(outbox.attempt()).hasSize(1);
    assertThat(outbox.deferred()).hasSize(1);

    mailServer.fails = false;
    outbox.advance(Duration.ofMinutes(1));
    outbox.drain();

    assertThat(mailServer.sent).containsOnlyOnce("bob");
  }
}
// docs:end
