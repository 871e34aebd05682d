/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring.example;

import io.posthorn.spi.Transactions;
import io.posthorn.spring.SpringTransactions;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** What each application without Spring Boot has anyway. */
@Configuration
@EnableTransactionManagement(proxyTargetClass = true)
class DatabaseConfiguration {
  @Bean
  DataSource dataSource() {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    return dataSource;
  }

  @Bean
  PlatformTransactionManager transactionManager(DataSource dataSource) {
    return new JdbcTransactionManager(dataSource);
  }

  @Bean
  Transactions transactions(DataSource dataSource, PlatformTransactionManager manager) {
    return SpringTransactions.on(dataSource, manager);
  }
}
