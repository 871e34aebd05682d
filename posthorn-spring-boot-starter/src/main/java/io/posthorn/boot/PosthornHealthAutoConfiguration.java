/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.spi.Ticker;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * The health of the outboxes, as {@code posthorn} of the health endpoint.
 *
 * @since 0.1
 */
@AutoConfiguration
@ConditionalOnProperty(prefix = "posthorn", name = "enabled", matchIfMissing = true)
@ConditionalOnExpression(
    "${management.health.posthorn.enabled:${management.health.defaults.enabled:true}}")
@Conditional(PosthornHealthAutoConfiguration.AnyActuator.class)
class PosthornHealthAutoConfiguration {
  private static final String NAME = "posthornHealthIndicator";

  @Bean
  HealthCompanion posthornHealth(PosthornProperties properties) {
    return new HealthCompanion(properties, Ticker.system());
  }

  /** The indicators of Spring Boot 3. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(org.springframework.boot.actuate.health.HealthIndicator.class)
  static class Boot3 {
    @Bean(NAME)
    @ConditionalOnMissingBean(name = NAME)
    org.springframework.boot.actuate.health.HealthIndicator posthornHealthIndicator(
        HealthCompanion health) {
      return () -> boot3(health.findings());
    }

    private static org.springframework.boot.actuate.health.Health boot3(
        HealthCompanion.Findings findings) {
      var builder = new org.springframework.boot.actuate.health.Health.Builder();
      return builder.status(status(findings)).withDetails(findings.details()).build();
    }
  }

  /** The indicators of Spring Boot 4. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(org.springframework.boot.health.contributor.HealthIndicator.class)
  static class Boot4 {
    @Bean(NAME)
    @ConditionalOnMissingBean(name = NAME)
    org.springframework.boot.health.contributor.HealthIndicator posthornHealthIndicator(
        HealthCompanion health) {
      return () -> boot4(health.findings());
    }

    private static org.springframework.boot.health.contributor.Health boot4(
        HealthCompanion.Findings findings) {
      var builder = new org.springframework.boot.health.contributor.Health.Builder();
      return builder.status(status(findings)).withDetails(findings.details()).build();
    }
  }

  /** The names are the same in both. */
  private static String status(HealthCompanion.Findings findings) {
    Boolean up = findings.up();
    return up == null ? "UNKNOWN" : up ? "UP" : "DOWN";
  }

  static class AnyActuator extends AnyNestedCondition {
    AnyActuator() {
      super(ConfigurationPhase.PARSE_CONFIGURATION);
    }

    @ConditionalOnClass(org.springframework.boot.actuate.health.HealthIndicator.class)
    static class InBoot3 {}

    @ConditionalOnClass(org.springframework.boot.health.contributor.HealthIndicator.class)
    static class InBoot4 {}
  }
}
