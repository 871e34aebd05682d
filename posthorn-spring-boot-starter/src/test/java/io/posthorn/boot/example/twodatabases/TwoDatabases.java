/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.twodatabases;

import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.boot.PosthornFactory;
import io.posthorn.spring.OutboxHandler;
import io.posthorn.spring.OutboxPublish;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;

/**
 * Sales and billing have a database each, and so an outbox each. What is sold in the one is billed
 * in the other, without a transaction over both. To be copied; {@code sales.datasource.jdbc-url}
 * and {@code billing.datasource.jdbc-url} say where the databases are.
 */
@SpringBootApplication(proxyBeanMethods = false)
public class TwoDatabases {
  public static void main(String[] arguments) {
    SpringApplication.run(TwoDatabases.class, arguments);
  }

  @Bean
  @ConfigurationProperties("sales.datasource")
  DataSource salesData() {
    return DataSourceBuilder.create().build();
  }

  @Bean
  PlatformTransactionManager sales(@Qualifier("salesData") DataSource dataSource) {
    return new JdbcTransactionManager(dataSource);
  }

  @Bean
  Posthorn salesPosthorn(
      PosthornFactory factory,
      @Qualifier("salesData") DataSource dataSource,
      @Qualifier("sales") PlatformTransactionManager manager) {
    return factory.create("sales", dataSource, manager);
  }

  @Bean
  Outbox salesOutbox(@Qualifier("salesPosthorn") Posthorn posthorn) {
    return posthorn.outbox();
  }

  // docs:begin
  @Bean
  @ConfigurationProperties("billing.datasource")
  DataSource billingData() {
    return DataSourceBuilder.create().build();
  }

  @Bean
  PlatformTransactionManager billing(@Qualifier("billingData") DataSource dataSource) {
    return new JdbcTransactionManager(dataSource);
  }

  @Bean
  Posthorn billingPosthorn(
      PosthornFactory factory,
      @Qualifier("billingData") DataSource dataSource,
      @Qualifier("billing") PlatformTransactionManager manager) {
    return factory.create("billing", dataSource, manager);
  }

  @Bean
  Outbox billingOutbox(@Qualifier("billingPosthorn") Posthorn posthorn) {
    return posthorn.outbox();
  }

  // docs:end

  // docs:begin
  @Service
  public static class Sales {
    private final Outbox outbox;

    Sales(@Qualifier("salesOutbox") Outbox outbox) {
      this.outbox = outbox;
    }

    @Transactional("sales")
    public void sell(String item) {
      outbox.publish("sold", item);
    }
  }

  @Component
  static class Billing {
    @OutboxHandler(type = "sold", name = "billing", outbox = "sales")
    @Transactional("billing")
    @OutboxPublish(type = "billed", payload = "#item", outbox = "billingOutbox")
    void bill(String item) {
      // writes to the billing database
    }
  }

  @Component
  public static class Mailer {
    public final BlockingQueue<String> sent = new LinkedBlockingQueue<>();

    @OutboxHandler(type = "billed", name = "mailer", outbox = "billing")
    void send(String item) {
      sent.add(item);
    }
  }
  // docs:end
}
