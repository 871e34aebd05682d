/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MessageTypeTest {
  record Order(String id) {}

  enum Aggregates implements AggregateType {
    ORDER("order");

    private final String name;

    Aggregates(String name) {
      this.name = name;
    }

    @Override
    public String aggregateTypeName() {
      return name;
    }
  }

  enum OrderTypes implements MessageType<Order> {
    PLACED("order-placed"),
    SHIPPED("order-shipped");

    private final String typeName;

    OrderTypes(String typeName) {
      this.typeName = typeName;
    }

    @Override
    public String typeName() {
      return typeName;
    }

    @Override
    public Class<Order> payloadClass() {
      return Order.class;
    }

    @Override
    public AggregateType aggregateType() {
      return Aggregates.ORDER;
    }
  }

  private static final MessageType<Order> NAME_ONLY = () -> "order-lost";

  @Test
  void aMessageTakesTypeAndAggregateTypeFromAnEnumConstant() {
    Message message = Message.of(OrderTypes.SHIPPED).build();

    assertThat(message.type()).isEqualTo("order-shipped");
    assertThat(message.aggregateType()).isEqualTo("order");
  }

  @Test
  void aggregateTypeOfAConstantCanBeOverridden() {
    assertThat(Message.of(OrderTypes.PLACED).aggregateType("parcel").build().aggregateType())
        .isEqualTo("parcel");
    assertThat(Message.of(NAME_ONLY).aggregateType(Aggregates.ORDER).build().aggregateType())
        .isEqualTo("order");
  }

  @Test
  void aHandlerTakesTypeAndPayloadClassFromAConstant() {
    HandlerSpec<Order> spec = HandlerSpec.of("mailer", OrderTypes.PLACED, (order, delivery) -> {});

    assertThat(spec.types()).containsExactly("order-placed");
    assertThat(spec.payloadClass()).isEqualTo(Order.class);
  }

  @Test
  void aHandlerForATypeWithoutPayloadClassIsRefusedWithTheWayOut() {
    assertThatThrownBy(() -> HandlerSpec.of("mailer", NAME_ONLY, (order, delivery) -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"order-lost\"")
        .hasMessageContaining("\"mailer\"")
        .hasMessageContaining("payloadClass()");
  }

  @Test
  void aTypeCanBeMadeOfANameAndAClass() {
    MessageType<Order> type = MessageType.of("order-placed", Order.class);

    assertThat(type.typeName()).isEqualTo("order-placed");
    assertThat(type.payloadClass()).isEqualTo(Order.class);
    assertThat(type.aggregateType()).isNull();
    assertThat(type).hasToString("order-placed");
    assertThatThrownBy(() -> MessageType.of(null, Order.class)).hasMessage("typeName");
    assertThatThrownBy(() -> MessageType.of("t", null)).hasMessage("payloadClass");
  }
}
