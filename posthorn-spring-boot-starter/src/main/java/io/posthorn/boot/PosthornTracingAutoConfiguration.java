/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import io.posthorn.micrometer.tracing.DeliveryObservationConvention;
import io.posthorn.micrometer.tracing.ObservationInterceptor;
import io.posthorn.micrometer.tracing.TraceContextProvider;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/**
 * Carries the trace of the publisher to the handlers, and observes deliveries, where the
 * application traces or observes.
 *
 * @since 0.1
 */
@AutoConfiguration(
    // By name: they are at different places in Spring Boot 3 and 4.
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
      "org.springframework.boot.actuate.autoconfigure.tracing.BraveAutoConfiguration",
      "org.springframework.boot.actuate.autoconfigure.tracing.OpenTelemetryTracingAutoConfiguration",
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
      "org.springframework.boot.micrometer.tracing.brave.autoconfigure.BraveAutoConfiguration",
      "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration"
    })
@ConditionalOnProperty(prefix = "posthorn", name = "enabled", matchIfMissing = true)
class PosthornTracingAutoConfiguration {
  /** Where messages are published. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Tracer.class, TraceContextProvider.class})
  @ConditionalOnSingleCandidate(Propagator.class)
  static class Publishing {
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(Tracer.class)
    TraceContextProvider outboxTraceContext(Tracer tracer, Propagator propagator) {
      return new TraceContextProvider(tracer, propagator);
    }
  }

  /** Where they are delivered. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({ObservationRegistry.class, ObservationInterceptor.class})
  static class Delivering {
    /** Outside of the MDC's: what other interceptors log has the trace id. */
    static final int ORDER = -100;

    @Bean
    @Order(ORDER)
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(ObservationRegistry.class)
    ObservationInterceptor outboxObservation(
        ObservationRegistry registry, ObjectProvider<DeliveryObservationConvention> convention) {
      return new ObservationInterceptor(registry, convention.getIfUnique());
    }
  }
}
