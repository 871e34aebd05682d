/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import io.posthorn.boot.PosthornFactory;
import io.posthorn.spi.PayloadCodec;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** What {@link OutboxTest} adds to the application. */
@Configuration(proxyBeanMethods = false)
class OutboxTestConfiguration {
  // Last, so that it wins over customizers of the application.
  @Bean
  @Order(Ordered.LOWEST_PRECEDENCE)
  SteppedOutboxes steppedOutboxes() {
    return new SteppedOutboxes();
  }

  @Bean
  OutboxTester outboxTester(
      SteppedOutboxes stepped,
      ObjectProvider<PosthornFactory> factory,
      ObjectProvider<PayloadCodec> codec) {
    return new OutboxTester(stepped, factory, codec);
  }
}
