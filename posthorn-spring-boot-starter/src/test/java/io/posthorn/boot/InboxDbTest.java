/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.micrometer.core.instrument.MeterRegistry;
import io.posthorn.ConfigurationException;
import io.posthorn.MessageHeaders;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.inbox.InboxListener;
import io.posthorn.servers.PostgresServer;
import io.posthorn.spring.OnceOnly;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.CacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.transaction.annotation.Transactional;

class InboxDbTest {
  private static final String ENABLED = "posthorn.inbox.enabled=true";
  private static final String CONSUME_ONLY = "posthorn.consume-only=true";

  /** An application that receives and publishes nothing. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class WarehouseApplication {
    @Bean
    Warehouse warehouse() {
      return new Warehouse();
    }
  }

  static class Warehouse {
    private final List<String> got = new CopyOnWriteArrayList<>();

    @OnceOnly(consumer = "warehouse")
    @Transactional
    public void on(Message<String> message) {
      got.add(message.getPayload());
    }

    public List<String> got() {
      return got;
    }
  }

  /** Receives what the shop publishes, and publishes for itself. */
  @Configuration(proxyBeanMethods = false)
  static class Receiving {
    @Bean
    Warehouse warehouse() {
      return new Warehouse();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Extras {
    final BlockingQueue<Integer> purged = new LinkedBlockingQueue<>();

    @Bean
    CacheManager cacheManager() {
      return new ConcurrentMapCacheManager("handled");
    }

    @Bean
    InboxListener purges() {
      return new InboxListener() {
        @Override
        public void purged(int rows) {
          purged.add(rows);
        }
      };
    }
  }

  private static Message<String> message(String id) {
    return new GenericMessage<>("parcel " + id, Map.of(MessageHeaders.ID, id));
  }

  private static void receivesOnce(ConfigurableApplicationContext context) {
    Warehouse warehouse = context.getBean(Warehouse.class);
    warehouse.on(message("m-1"));
    warehouse.on(message("m-1"));

    assertThat(warehouse.got()).containsExactly("parcel m-1");
  }

  private static ConfigurableApplicationContext warehouse(String... properties) {
    return Shop.start(properties, WarehouseApplication.class);
  }

  @Test
  void aProcessCanReceiveOnly() {
    try (ConfigurableApplicationContext context = warehouse(ENABLED, CONSUME_ONLY)) {
      receivesOnce(context);

      assertThat(context.getBeansOfType(Posthorn.class)).isEmpty();
      assertThat(context.getBeansOfType(Outbox.class)).isEmpty();
      assertThat(context.getBean(JdbcTemplate.class).queryForList("SHOW TABLES"))
          .hasSize(1); // that of the inbox
      assertThat(
              context
                  .getBean(MeterRegistry.class)
                  .get("posthorn.inbox.consumed")
                  .tag("consumer", "warehouse")
                  .counter()
                  .count())
          .isEqualTo(1);
    }
  }

  @Test
  void inboxAndOutboxWorkSideBySide() throws Exception {
    try (ConfigurableApplicationContext context = Shop.run(Receiving.class, ENABLED)) {
      receivesOnce(context);
      context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 7));

      assertThat(context.getBean(Shop.Mailer.class).next().id()).isEqualTo("o-1");
    }
  }

  @Test
  void anAnnotationWithoutAnInboxIsTold() {
    assertThat(catchThrowable(() -> warehouse(CONSUME_ONLY).close()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("Warehouse.on(Message) will fail")
        .hasMessageContaining("posthorn.inbox.enabled=true");
  }

  @Test
  void theApplicationsCacheIsAskedFirstAndOldRowsArePurged() throws Exception {
    try (ConfigurableApplicationContext context =
        Shop.start(
            new String[] {
              ENABLED,
              CONSUME_ONLY,
              "posthorn.inbox.cache-name=handled",
              "posthorn.inbox.table-prefix=in_",
              "posthorn.inbox.retention=1d",
              "posthorn.inbox.purge-interval=5ms"
            },
            WarehouseApplication.class,
            Extras.class)) {
      JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
      receivesOnce(context);
      jdbc.execute("DELETE FROM in_message");
      receivesOnce(context);
      jdbc.execute(
          "INSERT INTO in_message VALUES ('x', 'y', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00')");

      assertThat(context.getBean(Extras.class).purged.poll(20, TimeUnit.SECONDS)).isEqualTo(1);
    }
  }

  @Test
  void onPostgresTheTableIsAskedFor() {
    String database = "spring.datasource.url=" + PostgresServer.shared().freshDatabase();

    Throwable failure = catchThrowable(() -> warehouse(database, ENABLED, CONSUME_ONLY).close());
    assertThat(failure)
        .hasRootCauseInstanceOf(ConfigurationException.class)
        .rootCause()
        .hasMessageContaining("io/posthorn/jdbc/inbox/postgresql/V1__create_inbox.sql");
    assertThat(new ConfigurationFailureAnalyzer().analyze(failure).getAction())
        .contains("posthorn.inbox.create-tables=true");

    try (ConfigurableApplicationContext context =
        warehouse(database, ENABLED, CONSUME_ONLY, "posthorn.inbox.create-tables=true")) {
      receivesOnce(context);
    }
  }
}
