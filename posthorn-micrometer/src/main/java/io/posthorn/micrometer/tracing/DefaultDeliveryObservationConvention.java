/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer.tracing;

import io.micrometer.common.KeyValues;
import io.posthorn.Delivery;

/**
 * Names deliveries {@code posthorn.delivery}, and their spans "process" and the type. Tags of
 * metrics and spans are {@code handler}, {@code type} and {@code outcome}; spans also have {@code
 * posthorn.messageId}, {@code posthorn.key} if there is one, and {@code posthorn.attempt}.
 *
 * @since 0.1
 */
public class DefaultDeliveryObservationConvention implements DeliveryObservationConvention {
  @Override
  public String getName() {
    return "posthorn.delivery";
  }

  @Override
  public String getContextualName(DeliveryObservationContext context) {
    return "process " + context.delivery().type();
  }

  @Override
  public KeyValues getLowCardinalityKeyValues(DeliveryObservationContext context) {
    return KeyValues.of(
        "handler", context.delivery().handler(),
        "type", context.delivery().type(),
        "outcome", context.outcome().tag());
  }

  @Override
  public KeyValues getHighCardinalityKeyValues(DeliveryObservationContext context) {
    Delivery delivery = context.delivery();
    KeyValues values =
        KeyValues.of(
            "posthorn.messageId", delivery.messageId().toString(),
            "posthorn.attempt", Integer.toString(delivery.attempt()));
    String key = delivery.key();
    return key == null ? values : values.and("posthorn.key", key);
  }
}
