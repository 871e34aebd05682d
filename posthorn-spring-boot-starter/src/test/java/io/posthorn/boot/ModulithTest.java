/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.modulith.events.core.EventPublicationRegistry;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/** Beside Spring Modulith, whose multicaster has other roles too. Issue 18, E7. */
class ModulithTest {
  private static final Shop.Order ORDER = new Shop.Order("o-1", 5);

  private final String database = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

  /** A listener whose calls are in Modulith's registry until it has succeeded. */
  static class Statistics {
    private final List<Shop.Order> seen = new CopyOnWriteArrayList<>();
    private final boolean fails;

    Statistics(boolean fails) {
      this.fails = fails;
    }

    @TransactionalEventListener
    public void count(Shop.Order order) {
      if (fails) {
        throw new IllegalStateException("as planned");
      }
      seen.add(order);
    }

    /** Not the field: the bean is a proxy. */
    public List<Shop.Order> seen() {
      return seen;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Failing {
    @Bean
    Statistics statistics() {
      return new Statistics(true);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Working {
    @Bean
    Statistics statistics() {
      return new Statistics(false);
    }
  }

  private ConfigurableApplicationContext run(Class<?> more) {
    return Shop.run(
        more,
        ModulithSwitch.ON,
        "spring.datasource.generate-unique-name=false",
        "spring.datasource.url=" + database,
        "spring.modulith.events.jdbc.schema-initialization.enabled=true",
        "spring.modulith.events.republish-outstanding-events-on-restart=true");
  }

  @Test
  void bothRecordEventsAndModulithRepublishesItsOwnOnRestart() throws Exception {
    try (ConfigurableApplicationContext first = run(Failing.class)) {
      first
          .getBean(TransactionTemplate.class)
          .executeWithoutResult(status -> first.publishEvent(ORDER));

      assertThat(first.getBean(Shop.Mailer.class).next()).isEqualTo(ORDER);
      assertThat(first.getBean(EventPublicationRegistry.class).findIncompletePublications())
          .hasSize(1);
    }

    try (ConfigurableApplicationContext second = run(Working.class)) {
      assertThat(second.getBean(Statistics.class).seen()).containsExactly(ORDER);
      assertThat(second.getBean(EventPublicationRegistry.class).findIncompletePublications())
          .isEmpty();
      assertThat(second.getBeansOfType(IncompleteEventPublications.class)).hasSize(1);
      assertThat(second.getBean(Shop.Mailer.class).got).as("recorded once").isEmpty();
    }
  }
}
