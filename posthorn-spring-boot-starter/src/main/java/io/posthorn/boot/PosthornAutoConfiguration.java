/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.Admin;
import io.posthorn.ConfigurationException;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.spi.MessageExpressions;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.Transactions;
import io.posthorn.spring.HandlerMethods;
import io.posthorn.spring.MdcInterceptor;
import io.posthorn.spring.OutboxEventsPostProcessor;
import io.posthorn.spring.OutboxPublishPostProcessor;
import io.posthorn.spring.SpelMessageExpressions;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.slf4j.MDC;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;

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
class PosthornAutoConfiguration {
  /** Room for what else is stopped in the same phase. */
  private static final Duration RESERVE = Duration.ofSeconds(1);

  @Bean
  @ConditionalOnMissingBean
  HandlerMethods outboxHandlerMethods(ListableBeanFactory beans) {
    return new HandlerMethods(beans);
  }

  @Bean
  @ConditionalOnMissingBean
  MessageExpressions outboxExpressions() {
    return new SpelMessageExpressions();
  }

  @Bean
  @ConditionalOnMissingBean
  static OutboxPublishPostProcessor outboxPublishPostProcessor() {
    return new OutboxPublishPostProcessor();
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnProperty(prefix = "posthorn.events", name = "enabled", matchIfMissing = true)
  static OutboxEventsPostProcessor outboxEventsPostProcessor(Environment environment) {
    // Too early for the properties to be bound.
    return new OutboxEventsPostProcessor(
        environment.getProperty("posthorn.events.pass-on", boolean.class, true),
        environment.getProperty("posthorn.events.outbox", ""));
  }

  @Bean
  @ConditionalOnMissingBean
  PosthornFactory posthornFactory(
      ListableBeanFactory beans, PosthornProperties properties, Environment environment) {
    return new PosthornFactory(beans, properties, environment);
  }

  @Bean
  PosthornLifecycle posthornLifecycle(
      ObjectProvider<Posthorn> outboxes,
      ObjectProvider<OutboxCompanion> companions,
      PosthornProperties properties,
      Environment environment) {
    Duration phase =
        environment.getProperty(
            "spring.lifecycle.timeout-per-shutdown-phase", Duration.class, Duration.ofSeconds(30));
    Duration wanted = properties.relay().stopTimeout();
    Duration most = phase.compareTo(RESERVE) > 0 ? phase.minus(RESERVE) : phase;
    return new PosthornLifecycle(
        outboxes,
        companions,
        properties.autoStart(),
        wanted == null || wanted.compareTo(most) > 0 ? most : wanted);
  }

  /** For log lines that name the message. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MDC.class)
  @ConditionalOnProperty(prefix = "posthorn", name = "mdc", matchIfMissing = true)
  static class Logging {
    @Bean
    @Order(0)
    @ConditionalOnMissingBean
    MdcInterceptor outboxMdc() {
      return new MdcInterceptor();
    }
  }

  /** The one outbox of an application with one data source, or a primary one. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(
      prefix = "posthorn",
      name = "consume-only",
      havingValue = "false",
      matchIfMissing = true)
  @ConditionalOnMissingBean(Posthorn.class)
  @ConditionalOnSingleCandidate(DataSource.class)
  @ConditionalOnBean(PlatformTransactionManager.class)
  static class OneOutbox {
    @Bean
    @ConditionalOnMissingBean
    MessageStore outboxStore(PosthornFactory factory, DataSource dataSource) {
      return factory.store(PosthornFactory.DEFAULT_NAME, dataSource);
    }

    @Bean
    @ConditionalOnMissingBean
    Transactions outboxTransactions(
        PosthornFactory factory,
        DataSource dataSource,
        ObjectProvider<PlatformTransactionManager> managers) {
      return factory.transactions(dataSource, managerOf(dataSource, managers));
    }

    static PlatformTransactionManager managerOf(
        DataSource dataSource, ObjectProvider<PlatformTransactionManager> managers) {
      List<PlatformTransactionManager> fitting =
          managers.stream().filter(manager -> has(manager, dataSource)).toList();
      if (fitting.size() == 1) {
        return fitting.get(0);
      }
      PlatformTransactionManager only = managers.getIfUnique();
      if (only == null) {
        throw new ConfigurationException(
            List.of(
                "there are several transaction managers, and it is not clear which one is that of the outbox's data source; make it @Primary, or define a bean SpringTransactions.on(dataSource, manager)"));
      }
      return only;
    }

    /** All that tell their data source have such a property. */
    private static boolean has(PlatformTransactionManager manager, DataSource dataSource) {
      BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(manager);
      return properties.isReadableProperty("dataSource")
          && dataSource.equals(properties.getPropertyValue("dataSource"));
    }

    @Bean
    Posthorn posthorn(PosthornFactory factory, MessageStore store, Transactions transactions) {
      return factory.create(PosthornFactory.DEFAULT_NAME, store, transactions, builder -> {});
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
}
