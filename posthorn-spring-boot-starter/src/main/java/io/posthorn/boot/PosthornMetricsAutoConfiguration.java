/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.posthorn.micrometer.InboxMetrics;
import io.posthorn.micrometer.PosthornMetrics;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Meters of each outbox, where the application has a registry for them and no {@link
 * PosthornMetrics} of its own.
 *
 * @since 0.1
 */
@AutoConfiguration(
    // By name: they are at different places in Spring Boot 3 and 4. The one for simple registries
    // comes after all others.
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.actuate.autoconfigure.metrics.export.simple.SimpleMetricsExportAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration"
    })
@ConditionalOnProperty(prefix = "posthorn", name = "enabled", matchIfMissing = true)
@ConditionalOnClass({MeterRegistry.class, PosthornMetrics.class})
class PosthornMetricsAutoConfiguration {
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(prefix = "posthorn.metrics", name = "enabled", matchIfMissing = true)
  @ConditionalOnSingleCandidate(MeterRegistry.class)
  @ConditionalOnMissingBean(PosthornMetrics.class)
  static class EachOutbox {
    @Bean
    MetricsCompanion posthornMetrics(MeterRegistry registry, PosthornProperties properties) {
      return new MetricsCompanion(registry, properties.metrics());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(prefix = "posthorn.metrics", name = "enabled", matchIfMissing = true)
  @ConditionalOnSingleCandidate(MeterRegistry.class)
  static class EachInbox {
    @Bean
    @ConditionalOnMissingBean
    InboxMetrics inboxMetrics(MeterRegistry registry) {
      return new InboxMetrics(registry);
    }
  }
}
