/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer.example;

import io.micrometer.core.instrument.MeterRegistry;
import io.posthorn.HandlerSpec;
import io.posthorn.Posthorn;
import io.posthorn.micrometer.PosthornMetrics;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.Transactions;

/** The code of docs/metrics.md, so that it compiles. */
final class MeteredOrders {
  private MeteredOrders() {}

  static void run(
      MeterRegistry registry,
      MessageStore store,
      Transactions transactions,
      HandlerSpec<String> mailer) {
    // docs:begin
    PosthornMetrics metrics = PosthornMetrics.builder(registry).outbox("orders").build();
    Posthorn posthorn =
        metrics.addTo(Posthorn.inOneProcess(store, transactions)).handler(mailer).start();
    metrics.bind(posthorn);
    // at the end, before the data source is closed
    metrics.close();
    // docs:end
    posthorn.close();
  }
}
