/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring.example;

import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.spi.Transactions;
import io.posthorn.spring.HandlerMethods;
import io.posthorn.spring.OutboxPublishingConfiguration;
import io.posthorn.spring.SpelMessageExpressions;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The code of docs/spring.md for publishing without Spring Boot, so that it compiles and runs. */
// docs:begin
@Configuration
@Import(OutboxPublishingConfiguration.class)
class OutboxConfiguration {
  @Bean
  Posthorn posthorn(DataSource dataSource, Transactions transactions, HandlerMethods handlers) {
    var builder =
        Posthorn.inOneProcess(JdbcMessageStore.on(dataSource), transactions)
            .expressions(new SpelMessageExpressions());
    handlers.specs().forEach(builder::handler);
    return builder.build();
  }

  @Bean
  Outbox outbox(Posthorn posthorn) {
    return posthorn.outbox();
  }
}
// docs:end
