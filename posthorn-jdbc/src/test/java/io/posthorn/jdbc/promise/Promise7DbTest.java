/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.PosthornException;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Promise 7: a message nobody can read or handle never stops the ones behind it. */
class Promise7DbTest extends OneDatabase {
  private record Order(String text) {}

  /** Decodes orders, but none that is broken. */
  private static final class OrderCodec implements PayloadCodec {
    @Override
    public String contentType() {
      return "text/plain";
    }

    @Override
    public byte[] encode(Object payload) {
      return payload.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public <T> T decode(byte[] payload, Class<T> type) {
      String text = new String(payload, StandardCharsets.UTF_8);
      if (text.equals("broken")) {
        throw new PosthornException("cannot be read");
      }
      return type.cast(new Order(text));
    }
  }

  private UUID publish(String type, String payload) throws Exception {
    return transactions.call(
        connection ->
            publisher.outbox().publish(Message.of(type).key("k").payload(payload).build()));
  }

  @Test
  void promise7_unknownTypesAndBrokenPayloadsDoNotStopTheLaneBehindThem() throws Exception {
    List<UUID> wanted = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      publish("unheard-of", "x");
      publish(TYPE, "broken");
      wanted.add(publish(TYPE, "fine"));
    }
    SteppedRelay relay =
        relay(
            "a",
            builder ->
                builder
                    .codec(new OrderCodec())
                    .handler(HANDLER, TYPE, Order.class, (order, delivery) -> {}));

    relay.drain();

    assertThat(relay.log().delivered())
        .extracting(Delivery::messageId)
        .containsExactlyElementsOf(wanted);
    assertThat(database.rows().dead()).hasSize(20).allMatch(row -> row.attempts() == 1);
    assertThat(database.rows().deferred()).hasSize(20).allMatch(row -> row.handler().equals("*"));
    assertThat(relay.log().dead()).as("the hook is told").hasSize(20);
    for (int i = 0; i < 130; i++) {
      database.clock().advance(Duration.ofSeconds(31));
      relay.drain();
    }
    assertThat(database.rows().dead()).hasSize(40);
  }
}
