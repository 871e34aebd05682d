/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.Posthorn;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What the Actuator tells of the outboxes beside their health: the endpoint {@code posthorn}, and
 * {@code posthorn} in the endpoint {@code info}.
 *
 * @since 0.1
 */
@AutoConfiguration(after = PosthornAutoConfiguration.class)
@ConditionalOnProperty(prefix = "posthorn", name = "enabled", matchIfMissing = true)
class PosthornActuatorAutoConfiguration {
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Endpoint.class)
  static class OfEndpoint {
    @Bean
    @ConditionalOnMissingBean
    StatusEndpoint posthornEndpoint(ListableBeanFactory beans) {
      return new StatusEndpoint(beans);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(InfoContributor.class)
  static class OfInfo {
    @Bean
    @ConditionalOnMissingBean(name = "posthornInfoContributor")
    @ConditionalOnExpression(
        "${management.info.posthorn.enabled:${management.info.defaults.enabled:true}}")
    InfoContributor posthornInfoContributor(ListableBeanFactory beans) {
      return info ->
          info.withDetail(
              "posthorn", OutboxReport.each(beans.getBeansOfType(Posthorn.class), OutboxReport::info));
    }
  }

  /** The endpoint; it changes nothing. */
  @Endpoint(id = "posthorn")
  static class StatusEndpoint {
    private final ListableBeanFactory beans;

    StatusEndpoint(ListableBeanFactory beans) {
      this.beans = beans;
    }

    /** What waits, and what the relay of this process is doing, by outbox. */
    @ReadOperation
    public java.util.Map<String, Object> status() {
      return OutboxReport.each(beans.getBeansOfType(Posthorn.class), OutboxReport::status);
    }
  }
}
