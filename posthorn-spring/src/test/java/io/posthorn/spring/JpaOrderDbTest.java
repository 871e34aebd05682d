/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.servers.PostgresServer;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.support.TransactionTemplate;

/** Messages of writers of one entity have the order of their commits. */
class JpaOrderDbTest {
  private static PostgresServer server;

  private final PGSimpleDataSource dataSource = new PGSimpleDataSource();

  /** What both writers change. */
  @Entity(name = "account")
  public static class Account {
    @Id public Long id;
    public int balance;
  }

  @BeforeAll
  static void start() {
    server = PostgresServer.newest();
    server.start();
    server.createDatabase("jpa");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void theOneThatHadToWaitForTheRowComesSecond() throws Exception {
    dataSource.setUrl(server.jdbcUrl("jpa"));
    JdbcTemplate sql = new JdbcTemplate(dataSource);
    EntityManagerFactory factory = entityManagers();
    JpaTransactionManager manager = new JpaTransactionManager(factory);
    manager.setDataSource(dataSource);
    manager.afterPropertiesSet();
    EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
    TransactionTemplate transaction = new TransactionTemplate(manager);
    try (Posthorn posthorn =
        Posthorn.publishOnly(
                JdbcMessageStore.builder(dataSource).createTables(true).build(),
                SpringTransactions.on(dataSource, manager))
            .start()) {
      Outbox outbox = posthorn.outbox();
      sql.update("INSERT INTO account (id, balance) VALUES (1, 0)");
      CountDownLatch locked = new CountDownLatch(1);
      CompletableFuture<Void> waiting =
          CompletableFuture.runAsync(
              () ->
                  transaction.executeWithoutResult(
                      status -> {
                        await(locked);
                        entities.find(Account.class, 1L).balance = 2;
                        outbox.publish("waiting", "2");
                      }));
      transaction.executeWithoutResult(
          status -> {
            entities.find(Account.class, 1L).balance = 1;
            entities.flush();
            locked.countDown();
            awaitTrue(() -> waiters(sql) == 1);
            outbox.publish("first", "1");
          });
      waiting.get(20, SECONDS);

      assertThat(sql.queryForList("SELECT type FROM outbox_message ORDER BY seq", String.class))
          .containsExactly("first", "waiting");
      assertThat(sql.queryForObject("SELECT balance FROM account", Integer.class)).isEqualTo(2);
    } finally {
      factory.close();
    }
  }

  private EntityManagerFactory entityManagers() {
    LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
    bean.setDataSource(dataSource);
    bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
    bean.setPackagesToScan(JpaOrderDbTest.class.getPackageName());
    bean.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
    bean.afterPropertiesSet();
    return bean.getObject();
  }

  private static long waiters(JdbcTemplate sql) {
    return sql.queryForObject("SELECT count(*) FROM pg_locks WHERE NOT granted", Long.class);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitTrue(BooleanSupplier condition) {
    long end = System.nanoTime() + SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited too long").isLessThan(end);
      Thread.onSpinWait();
    }
  }
}
