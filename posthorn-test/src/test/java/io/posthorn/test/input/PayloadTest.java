/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.PosthornException;
import io.posthorn.PublishException;
import io.posthorn.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PayloadTest {
  record Order(String id) {}

  private final Publishing publishing = new Publishing(builder -> {});

  @Test
  void aPayloadAtTheLimitIsAccepted() {
    publishing.accept(
        Message.of("t").payload(new byte[Publishing.LIMIT]).build(),
        Message.of("t").payload("x".repeat(Publishing.LIMIT)).build());

    assertThat(publishing.rows().ready()).hasSize(2);
  }

  @Test
  void oneByteMoreIsRefusedWithTheLimitAndTheFix() {
    String said =
        "Message of type \"t\" not published: its payload has 101 bytes, the limit is 100; store large data elsewhere and publish where it is, or raise publish.max-payload-bytes";

    assertThat(publishing.refusal(Message.of("t").payload(new byte[Publishing.LIMIT + 1]).build()))
        .isEqualTo(said);
    assertThat(
            publishing.refusal(
                Message.of("t").payload("x".repeat(Publishing.LIMIT - 1) + "é").build()))
        .as("bytes count, not characters")
        .isEqualTo(said);
  }

  @Test
  void anObjectIsCountedAsItIsWritten() {
    Publishing writing = new Publishing(builder -> builder.codec(new IdCodec()));

    assertThat(writing.refusal(Message.of("t").payload(new Order("x".repeat(101))).build()))
        .contains("its payload has 101 bytes, the limit is 100");
  }

  @Test
  void anObjectThatTheCodecCannotWriteIsRefusedByItsClass() {
    Publishing writing = new Publishing(builder -> builder.codec(new IdCodec()));

    assertThat(writing.refusal(Message.of("t").payload(42).build()))
        .isEqualTo(
            "Message of type \"t\" not published: its payload of java.lang.Integer could not be written: not an order");
  }

  @Test
  void anObjectWithoutACodecOnTheClassPathIsRefusedWithTheWaysOut() {
    assertThat(publishing.refusal(Message.of("t").payload(new Order("1")).build()))
        .isEqualTo(
            "Message of type \"t\" not published: there is no codec for "
                + Order.class.getName()
                + "; add posthorn-jackson to the class path, set a codec in the builder, or publish text or bytes");
  }

  @Test
  void textBytesAndTombstonesNeedNoCodec() {
    publishing.accept(
        Message.of("t").payload("{}").build(),
        Message.of("t").payload(new byte[] {1}).build(),
        Message.of("t").build());

    assertThat(publishing.rows().ready()).hasSize(3);
  }

  @Test
  void nullsAreRefusedByName() {
    assertThat(publishing.failure(outbox -> outbox.publish((Object) null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("payload");
    assertThat(publishing.failure(outbox -> outbox.publish((Message) null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("message");
    assertThat(publishing.failure(outbox -> outbox.publish((String) null, "x")))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("type");
    assertThat(publishing.failure(outbox -> outbox.publishAll(null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("messages");
  }

  @Test
  void aNullAmongOthersIsNamedAndNoneIsStored() {
    Message good = Message.of("t").build();

    assertThat(
            publishing.failure(
                outbox -> outbox.publishAll(java.util.Arrays.asList(good, null, good))))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("messages[1]");
  }

  @Test
  void publishingNothingIsAccepted() {
    publishing.accept();

    assertThat(publishing.rows().noMessages()).isTrue();
  }

  @Test
  void aRefusedMessageLeavesTheTransactionUsable() {
    publishing
        .transactions()
        .run(
            () -> {
              publishing.outbox().publish("before", "{}");
              assertThat(
                      org.assertj.core.api.Assertions.catchThrowable(
                          () -> publishing.outbox().publish("", "{}")))
                  .isInstanceOf(PublishException.class);
              publishing.outbox().publish("after", "{}");
            });

    assertThat(publishing.rows().ready())
        .extracting(row -> row.type())
        .containsExactlyInAnyOrder("before", "after");
  }

  /** Writes an order as its id. */
  private static final class IdCodec implements PayloadCodec {
    @Override
    public String contentType() {
      return "text/plain";
    }

    @Override
    public byte[] encode(Object payload) {
      if (payload instanceof Order order) {
        return order.id().getBytes(StandardCharsets.UTF_8);
      }
      throw new PosthornException("not an order");
    }

    @Override
    public <T> T decode(byte[] payload, Class<T> type) {
      throw new UnsupportedOperationException();
    }
  }
}
