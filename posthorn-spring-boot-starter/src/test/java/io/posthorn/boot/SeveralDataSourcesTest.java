/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.PublishException;
import io.posthorn.spring.OutboxHandler;
import io.posthorn.spring.OutboxPublish;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;

class SeveralDataSourcesTest {
  /** Sales and billing, each with its own database and its own outbox. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class TwoDatabases {
    @Bean(destroyMethod = "dispose")
    JdbcConnectionPool salesData() {
      return pool();
    }

    @Bean(destroyMethod = "dispose")
    JdbcConnectionPool billingData() {
      return pool();
    }

    private static JdbcConnectionPool pool() {
      return JdbcConnectionPool.create(
          "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
    }

    @Bean
    PlatformTransactionManager sales(@Qualifier("salesData") DataSource dataSource) {
      return new JdbcTransactionManager(dataSource);
    }

    @Bean
    PlatformTransactionManager billing(@Qualifier("billingData") DataSource dataSource) {
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
    Posthorn billingPosthorn(
        PosthornFactory factory,
        @Qualifier("billingData") DataSource dataSource,
        @Qualifier("billing") PlatformTransactionManager manager) {
      return factory.create("billing", dataSource, manager);
    }

    @Bean
    Outbox salesOutbox(@Qualifier("salesPosthorn") Posthorn posthorn) {
      return posthorn.outbox();
    }

    @Bean
    Outbox billingOutbox(@Qualifier("billingPosthorn") Posthorn posthorn) {
      return posthorn.outbox();
    }

    @Bean
    Office office(@Qualifier("salesOutbox") Outbox sales) {
      return new Office(sales);
    }

    @Bean
    Clerks clerks() {
      return new Clerks();
    }
  }

  static class Office {
    private final Outbox sales;

    Office(Outbox sales) {
      this.sales = sales;
    }

    @Transactional("sales")
    public void sell(String what) {
      sales.publish("sold", what);
    }

    @Transactional("billing")
    @OutboxPublish(type = "billed", payload = "#what", outbox = "billingOutbox")
    public void bill(String what) {}

    @Transactional("billing")
    public void sellInTheWrongTransaction(String what) {
      sales.publish("sold", what);
    }
  }

  static class Clerks {
    final BlockingQueue<String> got = new LinkedBlockingQueue<>();

    @OutboxHandler(type = "sold", name = "seller", outbox = "sales")
    void sold(String what) {
      got.add("sold " + what);
    }

    @OutboxHandler(type = "billed", name = "biller", outbox = "billing")
    void billed(String what) {
      got.add("billed " + what);
    }
  }

  private static ConfigurableApplicationContext run() {
    return Shop.start(
        new String[] {
          "spring.data.jpa.repositories.enabled=false",
          "spring.autoconfigure.exclude=org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration,org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
        },
        TwoDatabases.class);
  }

  @Test
  void eachOutboxHasItsOwnTablesTransactionsAndHandlers() throws Exception {
    try (ConfigurableApplicationContext context = run()) {
      Office office = context.getBean(Office.class);
      Clerks clerks = context.getBean(Clerks.class);

      office.sell("a horn");
      assertThat(clerks.got.poll(20, TimeUnit.SECONDS)).isEqualTo("sold a horn");
      office.bill("a horn");
      assertThat(clerks.got.poll(20, TimeUnit.SECONDS)).isEqualTo("billed a horn");
    }
  }

  @Test
  void aTransactionOfTheOtherDataSourceIsRefused() {
    try (ConfigurableApplicationContext context = run()) {
      Office office = context.getBean(Office.class);

      assertThatThrownBy(() -> office.sellInTheWrongTransaction("a horn"))
          .isInstanceOf(PublishException.class)
          .hasMessageContaining("another data source");
    }
  }
}
