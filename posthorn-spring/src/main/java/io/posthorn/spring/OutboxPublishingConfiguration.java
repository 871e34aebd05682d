/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.OutboxMessage;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Switches {@link OutboxPublish} on, and the recording of events with {@link OutboxMessage}, for
 * applications without Spring Boot: {@code @Import(OutboxPublishingConfiguration.class)}. Who wants
 * one of the two only, or other settings, defines the post-processors instead.
 *
 * @since 0.1
 */
@Configuration(proxyBeanMethods = false)
public class OutboxPublishingConfiguration {
  @Bean
  static OutboxPublishPostProcessor outboxPublishPostProcessor() {
    return new OutboxPublishPostProcessor();
  }

  @Bean
  static OutboxEventsPostProcessor outboxEventsPostProcessor() {
    return new OutboxEventsPostProcessor();
  }
}
