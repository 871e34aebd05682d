/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.inbox.Inbox;
import io.posthorn.spi.Transactions;
import io.posthorn.spring.OnceOnlyPostProcessor;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * An inbox on the application's data source, if it is asked for. {@code @OnceOnly} is looked at in
 * any case, so that one without an inbox is told and not passed over.
 *
 * @since 0.1
 */
@AutoConfiguration(after = PosthornAutoConfiguration.class)
@ConditionalOnProperty(prefix = "posthorn", name = "enabled", matchIfMissing = true)
class PosthornInboxAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  static OnceOnlyPostProcessor onceOnlyPostProcessor() {
    return new OnceOnlyPostProcessor();
  }

  @Bean
  InboxLifecycle inboxLifecycle(ObjectProvider<Inbox> inboxes, PosthornProperties properties) {
    return new InboxLifecycle(inboxes, properties.inbox());
  }

  /** The one inbox of an application with one data source, or a primary one. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(prefix = "posthorn.inbox", name = "enabled")
  @ConditionalOnMissingBean(Inbox.class)
  @ConditionalOnSingleCandidate(DataSource.class)
  @ConditionalOnBean(PlatformTransactionManager.class)
  static class OneInbox {
    @Bean
    Inbox inbox(
        PosthornFactory factory,
        DataSource dataSource,
        ObjectProvider<Transactions> transactions,
        ObjectProvider<PlatformTransactionManager> managers) {
      Transactions shared = transactions.getIfUnique();
      return factory.inbox(
          dataSource,
          shared == null
              ? factory.transactions(
                  dataSource, PosthornAutoConfiguration.OneOutbox.managerOf(dataSource, managers))
              : shared);
    }
  }
}
