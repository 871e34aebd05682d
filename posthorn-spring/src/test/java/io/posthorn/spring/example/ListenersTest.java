/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.MessageHeaders;
import io.posthorn.inbox.Inbox;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.spi.Transactions;
import io.posthorn.spring.OnceOnlyPostProcessor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class ListenersTest {
  @Configuration(proxyBeanMethods = false)
  @Import(DatabaseConfiguration.class)
  static class Application {
    final List<String> done = new ArrayList<>();

    @Bean
    static OnceOnlyPostProcessor onceOnly() {
      return new OnceOnlyPostProcessor();
    }

    @Bean
    Inbox inbox(DataSource dataSource, Transactions transactions) {
      return Inbox.on(InboxTable.on(dataSource), transactions);
    }

    @Bean
    Listeners listeners() {
      return new Listeners(
          order -> done.add("take " + order.item()),
          records -> done.add("count " + records.size()),
          order -> done.add("book " + new String(order, StandardCharsets.UTF_8)));
    }
  }

  private static ConsumerRecord<String, Listeners.Order> record(String id) {
    ConsumerRecord<String, Listeners.Order> record =
        new ConsumerRecord<>("orders", 0, 7, "k", new Listeners.Order("horn"));
    record.headers().add(MessageHeaders.ID, id.getBytes(StandardCharsets.UTF_8));
    return record;
  }

  @Test
  void eachOfThemHandlesAMessageOnce() {
    try (var context = new AnnotationConfigApplicationContext(Application.class)) {
      Listeners listeners = context.getBean(Listeners.class);
      for (int i = 0; i < 2; i++) {
        listeners.on(record("m-1"));
        listeners.on(List.of(record("m-1"), record("m-2")));
        listeners.on(MessageBuilder.withBody(new byte[] {'x'}).setMessageId("m-1").build());
      }

      assertThat(context.getBean(Application.class).done)
          .containsExactly("take horn", "count 2", "book x");
    }
  }
}
