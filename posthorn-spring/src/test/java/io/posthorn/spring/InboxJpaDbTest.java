/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.inbox.Inbox;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.servers.PostgresServer;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.sql.Connection;
import java.sql.Savepoint;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.support.TransactionTemplate;

/** An inbox in transactions of JPA, where it has no savepoints of its own. Issue 18, E2. */
class InboxJpaDbTest {
  private EntityManagerFactory factory;
  private EntityManager entities;
  private JdbcTemplate jdbc;
  private TransactionTemplate outer;
  private Inbox inbox;

  /** What a successful try leaves; a failed one writes to its table by SQL. */
  @Entity(name = "effect")
  public static class Effect {
    @Id public String id;

    public Effect() {}

    Effect(String id) {
      this.id = id;
    }
  }

  private void open(DataSource dataSource) {
    LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
    bean.setDataSource(dataSource);
    bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
    bean.setManagedTypes(PersistenceManagedTypes.of(Effect.class.getName()));
    bean.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
    bean.afterPropertiesSet();
    factory = bean.getObject();
    entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
    JpaTransactionManager manager = new JpaTransactionManager(factory);
    manager.setDataSource(dataSource);
    manager.afterPropertiesSet();
    jdbc = new JdbcTemplate(dataSource);
    outer = new TransactionTemplate(manager);
    inbox =
        Inbox.on(
            InboxTable.builder(dataSource).createTables(true).build(),
            SpringTransactions.on(dataSource, manager));
    inbox.open();
  }

  private void openPostgres() {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(PostgresServer.shared().freshDatabase());
    open(dataSource);
  }

  private void openH2() {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    open(dataSource);
  }

  @AfterEach
  void close() {
    factory.close();
  }

  private boolean handle(boolean failing) {
    return inbox.once(
        "warehouse",
        "m-1",
        () -> {
          if (failing) {
            jdbc.update("INSERT INTO effect (id) VALUES ('failed')");
            jdbc.update("INSERT INTO effect (id) SELECT 'x' WHERE 1 / 0 = 1");
          }
          entities.persist(new Effect("m-1"));
        });
  }

  private void assertFails() {
    assertThatThrownBy(() -> handle(true)).isInstanceOf(DataAccessException.class);
  }

  private void assertHandledOnce() {
    assertThat(handle(false)).as("a redelivery").isFalse();
    assertThat(jdbc.queryForList("SELECT id FROM effect WHERE id = 'm-1'")).hasSize(1);
    assertThat(jdbc.queryForObject("SELECT count(*) FROM inbox_message", Long.class)).isOne();
  }

  /**
   * The first try in a savepoint, which takes it back. Hibernate has no {@code NESTED}, so it is
   * one of the connection, of which nobody is told.
   */
  @Test
  void aListenerThatTriesAgainWithinItsTransactionHandlesTheMessageOnce() {
    openPostgres();
    outer.executeWithoutResult(
        status -> {
          Savepoint savepoint =
              jdbc.execute((ConnectionCallback<Savepoint>) Connection::setSavepoint);
          assertFails();
          jdbc.execute(
              (ConnectionCallback<Boolean>)
                  connection -> {
                    connection.rollback(savepoint);
                    return true;
                  });
          assertThat(handle(false)).isTrue();
        });

    assertHandledOnce();
    assertThat(jdbc.queryForList("SELECT id FROM effect WHERE id = 'failed'")).isEmpty();
  }

  @Test
  void aListenerThatCatchesTheFailureCanTryAgainWhereTheDatabaseGoesOn() {
    openH2();
    outer.executeWithoutResult(
        status -> {
          assertFails();
          assertThat(handle(false)).isTrue();
        });

    assertHandledOnce();
  }

  @Test
  void whereTheDatabaseHasGivenTheTransactionUpAnotherOneHandlesTheMessage() {
    openPostgres();
    assertThatThrownBy(
            () ->
                outer.executeWithoutResult(
                    status -> {
                      assertFails();
                      assertThatThrownBy(() -> handle(false)).isInstanceOf(RuntimeException.class);
                    }))
        .isInstanceOf(RuntimeException.class);
    assertThat(jdbc.queryForObject("SELECT count(*) FROM inbox_message", Long.class)).isZero();

    outer.executeWithoutResult(status -> assertThat(handle(false)).isTrue());

    assertHandledOnce();
  }

  @Test
  void aFailureThatTheListenerCatchesLeavesTheMessageToTheNextDelivery() {
    openH2();
    outer.executeWithoutResult(status -> assertFails());

    assertThat(handle(false)).isTrue();
    assertHandledOnce();
  }
}
