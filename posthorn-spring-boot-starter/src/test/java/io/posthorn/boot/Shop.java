/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.Outbox;
import io.posthorn.OutboxMessage;
import io.posthorn.spring.OutboxHandler;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;

/** The smallest application: a data source, a service that publishes, a handler. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class Shop {
  @OutboxMessage(type = "order-placed", key = "id")
  record Order(String id, int amount) {}

  static class Counter {
    private final Outbox outbox;

    Counter(Outbox outbox) {
      this.outbox = outbox;
    }

    @Transactional
    public void place(Order order) {
      outbox.publish(order);
    }
  }

  static class Mailer {
    final BlockingQueue<Order> got = new LinkedBlockingQueue<>();

    @OutboxHandler(name = "mailer")
    void send(Order order) {
      got.add(order);
    }

    Order next() throws InterruptedException {
      Order order = got.poll(20, TimeUnit.SECONDS);
      if (order == null) {
        throw new AssertionError("nothing was delivered in time");
      }
      return order;
    }
  }

  @Bean
  Counter counter(Outbox outbox) {
    return new Counter(outbox);
  }

  @Bean
  Mailer mailer() {
    return new Mailer();
  }

  /** Runs the application, with an H2 of its own unless told otherwise, and more configuration. */
  static ConfigurableApplicationContext run(Class<?> more, String... properties) {
    return start(properties, Shop.class, more);
  }

  /** Runs any application, with an H2 of its own unless told otherwise. */
  public static ConfigurableApplicationContext start(String[] properties, Class<?>... sources) {
    return new SpringApplicationBuilder(sources)
        .properties(
            "spring.main.banner-mode=off",
            "spring.main.web-application-type=none",
            "spring.datasource.generate-unique-name=true")
        // As arguments they win over application.properties.
        .run(Stream.of(properties).map(property -> "--" + property).toArray(String[]::new));
  }
}
