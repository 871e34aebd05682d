/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.policy;

import io.posthorn.spi.DeliveryInterceptor;
import io.posthorn.spi.PayloadUpcaster;
import io.posthorn.spi.UnreadableMessages;
import java.util.List;
import java.util.Map;

/**
 * What an application adds to the way from the row to the handler.
 *
 * @param upcasters by the type as it is delivered
 */
public record Extensions(
    Aliases aliases,
    Map<String, PayloadUpcaster> upcasters,
    List<DeliveryInterceptor> interceptors,
    UnreadableMessages unreadable) {
  public Extensions {
    upcasters = Map.copyOf(upcasters);
    interceptors = List.copyOf(interceptors);
  }
}
