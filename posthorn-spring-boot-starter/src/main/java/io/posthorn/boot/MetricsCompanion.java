/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.posthorn.Posthorn;
import io.posthorn.micrometer.PosthornMetrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;

/** Gives each outbox meters of its own, with its name as a tag. Safe to share between threads. */
final class MetricsCompanion implements OutboxCompanion, AutoCloseable {
  private final MeterRegistry registry;
  private final PosthornProperties.Metrics settings;
  private final Map<String, PosthornMetrics> joined = new ConcurrentHashMap<>();
  private final Map<Posthorn, PosthornMetrics> unbound = new ConcurrentHashMap<>();
  private final Map<Posthorn, PosthornMetrics> bound = new ConcurrentHashMap<>();

  MetricsCompanion(MeterRegistry registry, PosthornProperties.Metrics settings) {
    this.registry = registry;
    this.settings = settings;
  }

  @Override
  public void join(String name, Posthorn.Builder builder) {
    PosthornMetrics.Builder metrics = PosthornMetrics.builder(registry).outbox(name);
    if (settings.surveyInterval() != null) {
      metrics.surveyInterval(settings.surveyInterval());
    }
    if (settings.surveyLimit() != null) {
      metrics.surveyLimit(settings.surveyLimit());
    }
    PosthornMetrics made = metrics.build();
    made.addTo(builder);
    joined.put(name, made);
  }

  @Override
  public void built(String name, Posthorn posthorn) {
    PosthornMetrics metrics = joined.remove(name);
    if (metrics != null) {
      unbound.put(posthorn, metrics);
    }
  }

  @Override
  public void started(Posthorn posthorn) {
    PosthornMetrics metrics = unbound.remove(posthorn);
    if (metrics != null) {
      bound.put(posthorn, metrics);
      metrics.bind(posthorn);
    }
  }

  /** For outboxes that do not start with the application: what waits is shown all the same. */
  @EventListener(ContextRefreshedEvent.class)
  void ready() {
    unbound.keySet().forEach(this::started);
  }

  @Override
  public void stopping(Posthorn posthorn) {
    PosthornMetrics metrics = bound.remove(posthorn);
    if (metrics != null) {
      metrics.close();
    }
  }

  @Override
  public void close() {
    bound.keySet().forEach(this::stopping);
  }
}
