/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.transaction.support.TransactionTemplate;

class EventsTest {
  /** Sees events of this process. */
  static class Local {
    final List<Object> seen = new CopyOnWriteArrayList<>();

    @EventListener
    void see(Shop.Order order) {
      seen.add(order);
    }

    @EventListener
    void see(String text) {
      seen.add(text);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Listening {
    @Bean
    Local local() {
      return new Local();
    }
  }

  private static final Shop.Order ORDER = new Shop.Order("o-1", 5);

  private static void publish(ConfigurableApplicationContext context, Object event) {
    context
        .getBean(TransactionTemplate.class)
        .executeWithoutResult(status -> context.publishEvent(event));
  }

  @Test
  void annotatedOnesAreRecordedAndPassedOn() throws Exception {
    try (ConfigurableApplicationContext context = Shop.run(Listening.class)) {
      publish(context, ORDER);

      assertThat(context.getBean(Shop.Mailer.class).next()).isEqualTo(ORDER);
      assertThat(context.getBean(Local.class).seen).containsExactly(ORDER);
    }
  }

  @Test
  void theyAreKeptFromLocalListenersIfTheApplicationWants() throws Exception {
    try (ConfigurableApplicationContext context =
        Shop.run(Listening.class, "posthorn.events.pass-on=false")) {
      publish(context, ORDER);

      assertThat(context.getBean(Shop.Mailer.class).next()).isEqualTo(ORDER);
      assertThat(context.getBean(Local.class).seen).isEmpty();
    }
  }

  @Test
  void othersAreLeftAlone() {
    try (ConfigurableApplicationContext context = Shop.run(Listening.class)) {
      context.publishEvent("no transaction, no annotation");

      assertThat(context.getBean(Local.class).seen)
          .containsExactly("no transaction, no annotation");
    }
  }

  @Test
  void recordingCanBeSwitchedOff() {
    try (ConfigurableApplicationContext context =
        Shop.run(Listening.class, "posthorn.events.enabled=false")) {
      context.publishEvent(ORDER); // would need a transaction

      assertThat(context.getBean(Local.class).seen).containsExactly(ORDER);
    }
  }
}
