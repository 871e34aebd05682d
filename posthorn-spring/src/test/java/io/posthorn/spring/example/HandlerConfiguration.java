/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring.example;

import io.posthorn.Posthorn;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.Transactions;
import io.posthorn.spring.HandlerMethods;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextRefreshedEvent;

/** The code of docs/spring.md for handlers without Spring Boot, so that it compiles and runs. */
@Configuration
class HandlerConfiguration {
  // docs:begin
  @Bean
  HandlerMethods handlerMethods(ListableBeanFactory beans) {
    return new HandlerMethods(beans);
  }

  @Bean
  Posthorn posthorn(MessageStore store, Transactions transactions, HandlerMethods handlers) {
    var builder = Posthorn.inOneProcess(store, transactions);
    handlers.specs().forEach(builder::handler);
    return builder.build();
  }

  @Bean
  ApplicationListener<ContextRefreshedEvent> relayStart(Posthorn posthorn) {
    return ready -> posthorn.start();
  }
  // docs:end
}
