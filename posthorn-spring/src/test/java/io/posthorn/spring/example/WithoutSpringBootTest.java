/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.spi.MessageStore;
import io.posthorn.spring.HandlerMethods;
import io.posthorn.spring.OutboxHandler;
import io.posthorn.spring.OutboxPublish;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

class WithoutSpringBootTest {
  static class Printer {
    private final BlockingQueue<String> printed = new LinkedBlockingQueue<>();

    @OutboxHandler(type = "greeting", name = "printer")
    void print(String text) {
      printed.add(text);
    }

    String next() throws InterruptedException {
      return printed.poll(20, TimeUnit.SECONDS);
    }
  }

  static class Host {
    @Transactional
    @OutboxPublish(type = "greeting", key = "#guest")
    public String greet(String guest) {
      return "good morning, " + guest;
    }
  }

  @Configuration
  static class Store {
    @Bean
    MessageStore store(DataSource dataSource) {
      return JdbcMessageStore.on(dataSource);
    }
  }

  @Configuration
  static class Handlers {
    @Bean
    HandlerMethods handlerMethods(ListableBeanFactory beans) {
      return new HandlerMethods(beans);
    }
  }

  private static ConfigurableApplicationContext start(Class<?>... beans) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.register(DatabaseConfiguration.class, Printer.class);
    context.register(beans);
    context.refresh();
    return context;
  }

  @Test
  void handlersAreFoundAndTheRelayStartsWithTheContext() throws Exception {
    try (ConfigurableApplicationContext context = start(Store.class, HandlerConfiguration.class)) {
      Posthorn posthorn = context.getBean(Posthorn.class);
      new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
          .executeWithoutResult(status -> posthorn.outbox().publish("greeting", "hello"));

      assertThat(context.getBean(Printer.class).next()).isEqualTo("hello");
    }
  }

  @Test
  void whatAMethodReturnsIsPublished() throws Exception {
    try (ConfigurableApplicationContext context =
        start(Handlers.class, OutboxConfiguration.class, Host.class)) {
      context.getBean(Posthorn.class).start();
      context.getBean(Host.class).greet("ada");

      assertThat(context.getBean(Printer.class).next()).isEqualTo("good morning, ada");
    }
  }
}
