/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A context with {@code @Transactional}, an outbox, a database of its own, and a manager. */
final class TransactionalScene implements AutoCloseable {
  private final AnnotationConfigApplicationContext context;

  private TransactionalScene(AnnotationConfigApplicationContext context) {
    this.context = context;
  }

  /**
   * @param manager one of the configurations below
   */
  static TransactionalScene of(Class<?> manager, Class<?>... beans) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.register(Base.class, manager);
    context.register(beans);
    context.refresh();
    return new TransactionalScene(context);
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  /** The types of the committed messages, in their order. */
  List<String> stored() {
    return bean(JdbcTemplate.class)
        .queryForList("SELECT type FROM outbox_message ORDER BY seq", String.class);
  }

  @Override
  public void close() {
    assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    context.close();
  }

  @Configuration
  @EnableTransactionManagement
  static class Base {
    @Bean
    DataSource dataSource() {
      JdbcDataSource database = new JdbcDataSource();
      database.setURL("jdbc:h2:mem:" + UUID.randomUUID());
      return database;
    }

    /** While it is open the database exists. */
    @Bean
    Connection keepAlive(DataSource dataSource) throws SQLException {
      return dataSource.getConnection();
    }

    @Bean
    JdbcTemplate sql(DataSource dataSource, Connection keepAlive) {
      return new JdbcTemplate(dataSource);
    }

    @Bean
    Posthorn posthorn(
        DataSource dataSource, Connection keepAlive, PlatformTransactionManager manager) {
      return Posthorn.publishOnly(
              JdbcMessageStore.on(dataSource), SpringTransactions.on(dataSource, manager))
          .start();
    }

    @Bean
    Outbox outbox(Posthorn posthorn) {
      return posthorn.outbox();
    }
  }

  @Configuration
  static class Jdbc {
    @Bean
    PlatformTransactionManager manager(DataSource dataSource) {
      return new JdbcTransactionManager(dataSource);
    }
  }

  @Configuration
  static class Jpa {
    @Bean
    LocalContainerEntityManagerFactoryBean entities(DataSource dataSource, Connection keepAlive) {
      LocalContainerEntityManagerFactoryBean bean = hibernate(Map.of());
      bean.setDataSource(dataSource);
      return bean;
    }

    static LocalContainerEntityManagerFactoryBean hibernate(Map<String, ?> more) {
      LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
      bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
      bean.setPackagesToScan(Jpa.class.getPackageName());
      bean.getJpaPropertyMap().put("hibernate.hbm2ddl.auto", "create");
      bean.getJpaPropertyMap().putAll(more);
      return bean;
    }

    @Bean
    PlatformTransactionManager manager(EntityManagerFactory entities) {
      return new JpaTransactionManager(entities);
    }
  }

  @Configuration
  static class Own {
    @Bean
    PlatformTransactionManager manager(DataSource dataSource) {
      return new OwnTransactionManager(dataSource);
    }
  }

  @Configuration
  static class Jta {
    /** Instead of the other one. */
    @Bean
    DataSource dataSource() {
      return Narayana.database();
    }

    @Bean
    PlatformTransactionManager manager() {
      return Narayana.manager();
    }
  }

  @Configuration
  static class JpaWithJta extends Jta {
    @Bean
    LocalContainerEntityManagerFactoryBean entities(DataSource dataSource, Connection keepAlive) {
      LocalContainerEntityManagerFactoryBean bean =
          Jpa.hibernate(Map.of("hibernate.transaction.jta.platform", new Narayana.ForHibernate()));
      bean.setJtaDataSource(dataSource);
      return bean;
    }
  }
}
