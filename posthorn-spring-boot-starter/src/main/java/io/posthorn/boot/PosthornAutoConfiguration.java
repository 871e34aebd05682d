/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.Admin;
import io.posthorn.HandlerSpec;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.Transactions;
import io.posthorn.spring.SpringTransactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;

/**
 * An outbox on the application's data source, with all {@code @OutboxHandler} methods, unless the
 * application defines its own.
 *
 * @since 0.1
 */
@AutoConfiguration(
    // By name: they are at different places in Spring Boot 3 and 4.
    afterName = {
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration",
      "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
      "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
    },
    after = PosthornCodecAutoConfiguration.class)
@ConditionalOnProperty(prefix = "posthorn", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(PosthornProperties.class)
public class PosthornAutoConfiguration {
  /** Room for what else is stopped in the same phase. */
  private static final Duration RESERVE = Duration.ofSeconds(1);

  @Bean
  @ConditionalOnMissingBean
  PosthornFactory posthornFactory(
      ListableBeanFactory beans, PosthornProperties properties, Environment environment) {
    return new PosthornFactory(beans, properties, environment);
  }

  /** The one outbox of an application with one data source, or a primary one. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(Posthorn.class)
  @ConditionalOnSingleCandidate(DataSource.class)
  @ConditionalOnBean(PlatformTransactionManager.class)
  static class OneOutbox {
    @Bean
    @ConditionalOnMissingBean
    MessageStore posthornStore(DataSource dataSource, PosthornProperties properties) {
      JdbcMessageStore.Builder builder = JdbcMessageStore.builder(dataSource);
      properties.store().applyTo(builder);
      return builder.build();
    }

    @Bean
    @ConditionalOnMissingBean
    Transactions posthornTransactions(
        DataSource dataSource,
        PlatformTransactionManager manager,
        ObjectProvider<TransactionManager> all) {
      return SpringTransactions.on(dataSource, manager, all.stream().toList());
    }

    @Bean(destroyMethod = "") // the life cycle stops it, earlier
    Posthorn posthorn(
        PosthornFactory factory,
        MessageStore store,
        Transactions transactions,
        ObjectProvider<HandlerSpec<?>> handlers) {
      List<HandlerSpec<?>> all = new ArrayList<>(handlers.orderedStream().toList());
      return factory.builder(store, transactions, all).build();
    }

    @Bean
    @ConditionalOnMissingBean
    Outbox outbox(Posthorn posthorn) {
      return posthorn.outbox();
    }

    @Bean
    @ConditionalOnMissingBean
    Admin outboxAdmin(Posthorn posthorn) {
      return posthorn.admin();
    }
  }

  @Bean
  PosthornLifecycle posthornLifecycle(
      ObjectProvider<Posthorn> outboxes, PosthornProperties properties, Environment environment) {
    Duration phase =
        environment.getProperty(
            "spring.lifecycle.timeout-per-shutdown-phase", Duration.class, Duration.ofSeconds(30));
    Duration wanted = properties.relay().stopTimeout();
    Duration most = phase.compareTo(RESERVE) > 0 ? phase.minus(RESERVE) : phase;
    return new PosthornLifecycle(
        outboxes.orderedStream().toList(),
        properties.autoStart(),
        wanted == null || wanted.compareTo(most) > 0 ? most : wanted);
  }
}
