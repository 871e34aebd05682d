/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class DeliveryTest {

  @Test
  void aDeliveryTellsAllAboutItsMessage() {
    Delivery delivery = Samples.delivery(1);

    assertThat(delivery.messageId()).isEqualTo(new UUID(1, 2));
    assertThat(delivery.type()).isEqualTo("order-placed");
    assertThat(delivery.key()).isEqualTo("order-1");
    assertThat(delivery.tenant()).isEqualTo("acme");
    assertThat(delivery.aggregateType()).isEqualTo("order");
    assertThat(delivery.headers()).isEqualTo(Map.of("source", "web"));
    assertThat(delivery.createdAt()).isEqualTo(Samples.CREATED);
    assertThat(delivery.occurredAt()).isEqualTo(Samples.OCCURRED);
    assertThat(delivery.handler()).isEqualTo("mailer");
    assertThat(delivery.epoch()).isEqualTo(5);
    assertThat(delivery.lastError()).isNull();
  }

  @Test
  void onlyTheFirstAttemptIsNoRetry() {
    assertThat(Samples.delivery(1).isRetry()).isFalse();
    assertThat(Samples.delivery(2).isRetry()).isTrue();
    assertThat(Samples.delivery(2).lastError()).isEqualTo("it was down");
  }

  @Test
  void textNamesTheMessageAndTheAttemptButNeverThePayload() {
    assertThat(Samples.delivery(2))
        .hasToString(
            "Delivery[message=00000000-0000-0001-0000-000000000002, type=order-placed, key=order-1, handler=mailer, attempt=2, epoch=5]");
    assertThat(Samples.delivery(2).message().toString()).doesNotContain("secret");
  }

  @Test
  void aDeliveryNeedsAMessageAndAHandler() {
    assertThatThrownBy(() -> new Delivery(null, "h", 1, null, 1)).hasMessage("message");
    assertThatThrownBy(() -> new Delivery(Samples.delivery(1).message(), null, 1, null, 1))
        .hasMessage("handler");
  }
}
