/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer.example;

import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import io.posthorn.Posthorn;
import io.posthorn.micrometer.tracing.ObservationInterceptor;
import io.posthorn.micrometer.tracing.TraceContextProvider;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.Transactions;

/** The code of docs/spring.md for traces, so that it compiles. */
record TracedOrders(Tracer tracer, Propagator propagator, ObservationRegistry observationRegistry) {

  Posthorn.Builder outbox(MessageStore store, Transactions transactions) {
    // docs:begin
    return Posthorn.inOneProcess(store, transactions)
        .contextProvider(new TraceContextProvider(tracer, propagator)) // for publishing
        .interceptor(new ObservationInterceptor(observationRegistry)); // for delivering
    // docs:end
  }
}
