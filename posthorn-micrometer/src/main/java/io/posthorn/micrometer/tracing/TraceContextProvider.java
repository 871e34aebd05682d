/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer.tracing;

import static java.util.Objects.requireNonNull;

import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import io.posthorn.Message;
import io.posthorn.spi.ContextProvider;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes the trace of the publishing thread into the headers of its messages, in the propagator's
 * format: with W3C {@code traceparent}, {@code tracestate} and {@code baggage}. Adds nothing if no
 * span is active. Safe to share between threads.
 *
 * <p>The span that is active becomes the parent of the deliveries. An observation with a sender's
 * context, as the templates of brokers use it, would make a span for each message, which would also
 * end before the commit and so tell of messages that may never exist.
 *
 * @since 0.1
 */
public final class TraceContextProvider implements ContextProvider {
  private final Tracer tracer;
  private final Propagator propagator;

  public TraceContextProvider(Tracer tracer, Propagator propagator) {
    this.tracer = requireNonNull(tracer, "tracer");
    this.propagator = requireNonNull(propagator, "propagator");
  }

  /**
   * The headers of the active trace. None for a message that has one of them by hand: those of two
   * traces must not be mixed.
   */
  @Override
  public Map<String, String> headers(Message message) {
    TraceContext active = tracer.currentTraceContext().context();
    if (active == null || hasTraceByHand(message)) {
      return Map.of();
    }
    Map<String, String> headers = new HashMap<>();
    propagator.inject(active, headers, Map::put);
    return headers;
  }

  private boolean hasTraceByHand(Message message) {
    return !Collections.disjoint(message.headers().keySet(), propagator.fields());
  }
}
