/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.route;

import io.posthorn.Delivery;
import java.util.Map;

/**
 * The context attributes of CloudEvents 1.0 in binary mode, as headers. Their data is the payload.
 *
 * @param prefix what the names begin with, as the protocol's binding has it
 * @param source the {@code source} of all events
 */
record CloudEvents(String prefix, String source) {

  void addTo(Map<String, String> headers, Delivery delivery) {
    headers.put(prefix + "specversion", "1.0");
    headers.put(prefix + "id", delivery.messageId().toString());
    headers.put(prefix + "source", source);
    headers.put(prefix + "type", delivery.type());
    headers.put(prefix + "time", delivery.occurredAt().toString());
    Preparation.putOrRemove(headers, prefix + "subject", delivery.key());
  }
}
