/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer.tracing;

import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.EventPublishingContextWrapper;
import io.micrometer.tracing.otel.bridge.OtelBaggageManager;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.otel.bridge.Slf4JEventListener;
import io.micrometer.tracing.propagation.Propagator;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;

/** The tracing of one process, set up as Spring Boot does it, with its own exporter. */
final class TracedProcess implements AutoCloseable {
  static {
    // As long as no context has been used in this JVM: puts trace ids into the MDC.
    ContextStorage.addWrapper(new EventPublishingContextWrapper(new Slf4JEventListener()::onEvent));
  }

  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final SdkTracerProvider provider =
      SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exporter)).build();
  private final Tracer tracer;
  private final Propagator propagator;
  private final ObservationRegistry registry = ObservationRegistry.create();

  TracedProcess() {
    io.opentelemetry.api.trace.Tracer otel = provider.get("test");
    OtelCurrentTraceContext current = new OtelCurrentTraceContext();
    this.tracer =
        new OtelTracer(
            otel, current, event -> {}, new OtelBaggageManager(current, List.of(), List.of()));
    this.propagator =
        new OtelPropagator(
            ContextPropagators.create(
                TextMapPropagator.composite(
                    W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance())),
            otel);
    registry
        .observationConfig()
        .observationHandler(
            new ObservationHandler.FirstMatchingCompositeObservationHandler(
                new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
                new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
                new DefaultTracingObservationHandler(tracer)));
  }

  Tracer tracer() {
    return tracer;
  }

  ObservationRegistry registry() {
    return registry;
  }

  TraceContextProvider contextProvider() {
    return new TraceContextProvider(tracer, propagator);
  }

  ObservationInterceptor interceptor() {
    return new ObservationInterceptor(registry);
  }

  /** Runs an action in a new span, which has ended when this returns. */
  void inSpan(String name, Runnable action) {
    Span span = tracer.nextSpan().name(name).start();
    try (Tracer.SpanInScope scope = tracer.withSpan(span)) {
      assert scope != null;
      action.run();
    } finally {
      span.end();
    }
  }

  /** Spans that have ended, in that order. */
  List<SpanData> spans() {
    return exporter.getFinishedSpanItems();
  }

  /** The one span of this name. */
  SpanData span(String name) {
    List<SpanData> named = spans(name);
    if (named.size() != 1) {
      throw new AssertionError("not one span \"" + name + "\" but " + named + " of " + spans());
    }
    return named.get(0);
  }

  List<SpanData> spans(String name) {
    return spans().stream().filter(span -> span.getName().equals(name)).toList();
  }

  /** Whether the calling thread has neither a trace nor baggage nor an observation. */
  boolean nothingIsActive() {
    return Context.current() == Context.root()
        && registry.getCurrentObservation() == null
        && registry.getCurrentObservationScope() == null;
  }

  @Override
  public void close() {
    provider.close();
  }
}
