/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.Transactions;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.MutableClock;
import java.nio.charset.StandardCharsets;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

class ReplacedBeansTest {
  /** Writes orders as "id:amount". */
  @Configuration(proxyBeanMethods = false)
  static class OwnCodec {
    @Bean
    PayloadCodec codec() {
      return new PayloadCodec() {
        @Override
        public String contentType() {
          return "text/plain";
        }

        @Override
        public byte[] encode(Object payload) {
          Shop.Order order = (Shop.Order) payload;
          return (order.id() + ":" + order.amount()).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public <T> T decode(byte[] payload, Class<T> type) {
          String[] parts = new String(payload, StandardCharsets.UTF_8).split(":", 2);
          return type.cast(new Shop.Order(parts[0], Integer.parseInt(parts[1]) + 1));
        }
      };
    }
  }

  @Test
  void theCodec() throws Exception {
    try (ConfigurableApplicationContext context = Shop.run(OwnCodec.class)) {
      context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 1));

      assertThat(context.getBean(Shop.Mailer.class).next()).isEqualTo(new Shop.Order("o-1", 2));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnStore {
    @Bean
    MessageStore store(DataSource dataSource) {
      return JdbcMessageStore.builder(dataSource).tablePrefix("shop_").build();
    }
  }

  @Test
  void theStore() {
    try (ConfigurableApplicationContext context =
        Shop.run(OwnStore.class, "posthorn.auto-start=false")) {
      context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 1));

      assertThat(
              context
                  .getBean(JdbcTemplate.class)
                  .queryForObject("SELECT count(*) FROM shop_message", Integer.class))
          .isEqualTo(1);
    }
  }

  /** An outbox of the application's own. */
  @Configuration(proxyBeanMethods = false)
  static class OwnOutbox {
    @Bean
    Posthorn posthorn(MessageStore store, Transactions transactions) {
      return Posthorn.publishOnly(store, transactions).build();
    }

    @Bean
    Outbox outbox(Posthorn posthorn) {
      return posthorn.outbox();
    }

    @Bean
    InMemoryStore store() {
      return new InMemoryStore(new MutableClock(), 4);
    }

    @Bean
    InMemoryTransactions transactions() {
      return new InMemoryTransactions();
    }
  }

  @Test
  void theOutboxItself() {
    try (ConfigurableApplicationContext context = Shop.run(OwnOutbox.class)) {
      assertThat(context.getBeansOfType(Posthorn.class)).containsOnlyKeys("posthorn");
      assertThat(context.getBean(Posthorn.class).status()).isEmpty(); // it only publishes
    }
  }
}
