/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Outbox;
import io.posthorn.PublishException;
import io.posthorn.spring.TransactionalScene.Jdbc;
import io.posthorn.spring.TransactionalScene.Jpa;
import io.posthorn.spring.TransactionalScene.JpaWithJta;
import io.posthorn.spring.TransactionalScene.Jta;
import io.posthorn.spring.TransactionalScene.Own;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.NestedTransactionNotSupportedException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** {@code @Transactional} with JDBC, JPA, JTA, and any manager that shows its connection. */
class TransactionalMethodsTest {

  static class Service {
    private final Outbox outbox;

    Service(Outbox outbox) {
      this.outbox = outbox;
    }

    @Transactional
    void required(String type, Runnable then) {
      publish(type, then);
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    void requiresNew(String type, Runnable then) {
      publish(type, then);
    }

    @Transactional(propagation = Propagation.NESTED)
    void nested(String type, Runnable then) {
      publish(type, then);
    }

    @Transactional(readOnly = true)
    void readOnly(String type) {
      publish(type, TransactionalMethodsTest::nothing);
    }

    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    void notSupported(String type) {
      publish(type, TransactionalMethodsTest::nothing);
    }

    void publish(String type, Runnable then) {
      outbox.publish(type, "1");
      then.run();
    }
  }

  private static void nothing() {}

  private static void fail() {
    throw new IllegalStateException("as planned");
  }

  private static List<String> storedAfter(Class<?> manager, Consumer<Service> work) {
    try (TransactionalScene scene = TransactionalScene.of(manager, Service.class)) {
      work.accept(scene.bean(Service.class));
      return scene.stored();
    }
  }

  private static void failing(Runnable work) {
    assertThatThrownBy(work::run).hasMessage("as planned");
  }

  @ParameterizedTest
  @ValueSource(classes = {Jdbc.class, Jpa.class, Own.class, Jta.class})
  void messagesAreStoredWithTheCommit(Class<?> manager) {
    assertThat(
            storedAfter(
                manager, service -> service.required("a", TransactionalMethodsTest::nothing)))
        .containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(classes = {Jdbc.class, Jpa.class, Own.class, Jta.class})
  void anExceptionTakesThemBack(Class<?> manager) {
    assertThat(
            storedAfter(
                manager,
                service -> failing(() -> service.required("a", TransactionalMethodsTest::fail))))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(classes = {Jdbc.class, Jpa.class, Own.class, Jta.class})
  void anInnerTransactionOutlivesTheOuterOne(Class<?> manager) {
    List<String> stored =
        storedAfter(
            manager,
            service ->
                failing(
                    () ->
                        service.required(
                            "outer",
                            () -> {
                              service.requiresNew("inner", TransactionalMethodsTest::nothing);
                              fail();
                            })));

    assertThat(stored).containsExactly("inner");
  }

  @ParameterizedTest
  @ValueSource(classes = {Jdbc.class, Jpa.class, Own.class, Jta.class})
  void theOuterTransactionOutlivesAnInnerOne(Class<?> manager) {
    List<String> stored =
        storedAfter(
            manager,
            service ->
                service.required(
                    "outer",
                    () ->
                        failing(
                            () -> service.requiresNew("inner", TransactionalMethodsTest::fail))));

    assertThat(stored).containsExactly("outer");
  }

  @ParameterizedTest
  @ValueSource(classes = {Jdbc.class, Jpa.class, Own.class, Jta.class})
  void aReadOnlyTransactionIsRefused(Class<?> manager) {
    assertThat(
            storedAfter(
                manager,
                service ->
                    assertThatThrownBy(() -> service.readOnly("a"))
                        .isInstanceOf(PublishException.class)
                        .hasMessageContaining("the transaction is read-only")))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(classes = {Jdbc.class, Jpa.class, Own.class, Jta.class})
  void withoutATransactionTheErrorSaysWhatToDo(Class<?> manager) {
    assertThat(
            storedAfter(
                manager,
                service -> {
                  assertThatThrownBy(() -> service.publish("a", TransactionalMethodsTest::nothing))
                      .isInstanceOf(PublishException.class)
                      .hasMessageContaining("Annotate the calling method with @Transactional");
                  service.required(
                      "outer",
                      () ->
                          assertThatThrownBy(() -> service.notSupported("a"))
                              .hasMessageContaining("no active transaction"));
                }))
        .containsExactly("outer");
  }

  @Test
  void aNestedTransactionThatFailsTakesItsOwnMessagesBack() {
    List<String> stored =
        storedAfter(
            Jdbc.class,
            service ->
                service.required(
                    "outer",
                    () -> {
                      failing(() -> service.nested("failed", TransactionalMethodsTest::fail));
                      service.nested("kept", TransactionalMethodsTest::nothing);
                    }));

    assertThat(stored).containsExactly("outer", "kept");
  }

  /** Spring's own word: entities in memory cannot go back to a savepoint. */
  @Test
  void jpaHasNoNestedTransactions() {
    List<String> stored =
        storedAfter(
            Jpa.class,
            service ->
                service.required(
                    "outer",
                    () ->
                        assertThatThrownBy(
                                () -> service.nested("inner", TransactionalMethodsTest::nothing))
                            .isInstanceOf(NestedTransactionNotSupportedException.class)));

    assertThat(stored).containsExactly("outer");
  }

  @ParameterizedTest
  @ValueSource(classes = {Jpa.class, JpaWithJta.class})
  void entitiesAndMessagesAreOneTransaction(Class<?> manager) {
    try (TransactionalScene scene = TransactionalScene.of(manager, Service.class)) {
      EntityManager entities =
          SharedEntityManagerCreator.createSharedEntityManager(
              scene.bean(EntityManagerFactory.class));
      Service service = scene.bean(Service.class);

      service.required("saved", () -> entities.persist(account(1)));
      failing(
          () ->
              service.required(
                  "not saved",
                  () -> {
                    entities.persist(account(2));
                    fail();
                  }));

      assertThat(scene.stored()).containsExactly("saved");
      assertThat(scene.bean(JdbcTemplate.class).queryForList("SELECT id FROM account", Long.class))
          .containsExactly(1L);
    }
  }

  /** So that those who wait for each other's rows write their messages in the same order. */
  @ParameterizedTest
  @ValueSource(classes = {Jpa.class, JpaWithJta.class})
  void entitiesAreWrittenBeforeMessages(Class<?> manager) {
    try (TransactionalScene scene = TransactionalScene.of(manager, Service.class)) {
      EntityManager entities =
          SharedEntityManagerCreator.createSharedEntityManager(
              scene.bean(EntityManagerFactory.class));
      List<Long> written = new ArrayList<>();

      scene
          .bean(Service.class)
          .required(
              "saved",
              () -> {
                entities.persist(account(1));
                TransactionSynchronizationManager.registerSynchronization(
                    new TransactionSynchronization() {
                      @Override
                      public void beforeCommit(boolean readOnly) { // behind that of the outbox
                        written.addAll(
                            scene
                                .bean(JdbcTemplate.class)
                                .queryForList("SELECT id FROM account", Long.class));
                      }
                    });
              });

      assertThat(written).containsExactly(1L);
    }
  }

  private static JpaOrderDbTest.Account account(long id) {
    JpaOrderDbTest.Account account = new JpaOrderDbTest.Account();
    account.id = id;
    return account;
  }
}
