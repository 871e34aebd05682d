/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.inbox.Inbox;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.servers.PostgresServer;
import io.posthorn.spring.OnceOnlyPostProcessor;
import io.posthorn.spring.SpringTransactions;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** An application with an inbox, for listeners that get {@link DrawnMessages}. */
@Configuration(proxyBeanMethods = false)
@EnableTransactionManagement(proxyTargetClass = true)
class InboxApplication {
  /** The consumer's name in the inbox. */
  static final String CONSUMER = "warehouse";

  /** What a test does with a seed or a running application. */
  @FunctionalInterface
  interface Step<T> {
    void with(T value) throws Exception;
  }

  @Bean
  static OnceOnlyPostProcessor onceOnly() {
    return new OnceOnlyPostProcessor();
  }

  @Bean
  DataSourceTransactionManager transactionManager(DataSource dataSource) {
    return new DataSourceTransactionManager(dataSource);
  }

  @Bean
  Inbox inbox(DataSource dataSource, PlatformTransactionManager manager) {
    return Inbox.on(
        InboxTable.builder(dataSource).createTables(true).build(),
        SpringTransactions.on(dataSource, manager));
  }

  /** More: {@code -Dposthorn.inbox.seeds=200}; others: {@code -Dposthorn.inbox.first-seed=1000}. */
  static LongStream seeds(int usual) {
    long first = Long.getLong("posthorn.inbox.first-seed", 0);
    return LongStream.range(first, first + Integer.getInteger("posthorn.inbox.seeds", usual));
  }

  static DataSource freshDatabase() {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(PostgresServer.shared().freshDatabase());
    return dataSource;
  }

  /**
   * Runs an application until a step ends.
   *
   * @param source what listeners have as {@code ${source}}: the topic or queue
   * @param beans adds what the broker needs, and the listener
   */
  static void run(
      DataSource dataSource,
      String source,
      Consumer<AnnotationConfigApplicationContext> beans,
      Step<ApplicationContext> step)
      throws Exception {
    try (var context = new AnnotationConfigApplicationContext()) {
      context
          .getEnvironment()
          .getPropertySources()
          .addFirst(new MapPropertySource("test", Map.of("source", source)));
      context.registerBean("dataSource", DataSource.class, () -> dataSource);
      context.register(InboxApplication.class);
      beans.accept(context);
      context.refresh();
      step.with(context);
    }
  }

  /** What fails says what was drawn. */
  static void labelled(long seed, Object setting, Step<Long> step) throws Exception {
    try {
      step.with(seed);
    } catch (AssertionError e) {
      throw new AssertionError("seed %d with %s: %s".formatted(seed, setting, e.getMessage()), e);
    }
  }
}
