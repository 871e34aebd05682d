/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agroal.api.AgroalDataSource;
import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.PublishException;
import io.posthorn.jdbc.JdbcMessageStore;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What is special about JTA; what it has in common with others is in the tests of all managers. */
class JtaTest {
  private final AgroalDataSource orders = Narayana.database();
  private final AgroalDataSource stock = Narayana.database();
  private final JdbcTemplate orderSql = new JdbcTemplate(orders);
  private final JdbcTemplate stockSql = new JdbcTemplate(stock);
  private final TransactionManager jta = Narayana.transactions();
  private final JtaTransactionManager manager = Narayana.manager();
  private final Posthorn posthorn =
      Posthorn.publishOnly(JdbcMessageStore.on(orders), SpringTransactions.on(orders, manager))
          .start();
  private final Outbox outbox = posthorn.outbox();

  JtaTest() {
    stockSql.execute("CREATE TABLE reservation (id int)");
  }

  @AfterEach
  void close() throws SystemException {
    if (jta.getStatus() != Status.STATUS_NO_TRANSACTION) {
      jta.rollback(); // a test that failed must not spoil the next one
    }
    assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    posthorn.close(); // before the connections are counted: it purges in the background
    assertThat(orders.getMetrics().activeCount()).as("connections not given back").isZero();
    orders.close();
    stock.close();
  }

  private TransactionTemplate transaction(int propagation) {
    TransactionTemplate template = new TransactionTemplate(manager);
    template.setPropagationBehavior(propagation);
    return template;
  }

  private void inTransaction(Runnable work) {
    transaction(TransactionDefinition.PROPAGATION_REQUIRED)
        .executeWithoutResult(status -> work.run());
  }

  private void inNewTransaction(Runnable work) {
    transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
        .executeWithoutResult(status -> work.run());
  }

  private void inNestedTransaction(Runnable work) {
    transaction(TransactionDefinition.PROPAGATION_NESTED)
        .executeWithoutResult(status -> work.run());
  }

  private static void fail() {
    throw new IllegalStateException("as planned");
  }

  private List<String> stored() {
    return orderSql.queryForList("SELECT type FROM outbox_message ORDER BY seq", String.class);
  }

  private List<Integer> reserved() {
    return stockSql.queryForList("SELECT id FROM reservation", Integer.class);
  }

  private void reserve(int id) {
    stockSql.update("INSERT INTO reservation VALUES (?)", id);
  }

  @Test
  void theConnectionMayBeGoneWhenActionsAfterTheEndRun() {
    SpringTransactions transactions = SpringTransactions.on(orders, manager);
    inTransaction(() -> assertThat(transactions.current().keepsResourcesToItsEnd()).isFalse());
  }

  @Test
  void twoDatabasesAndTheOutboxCommitTogether() {
    inTransaction(
        () -> {
          reserve(1);
          outbox.publish("placed", "1");
        });

    assertThat(stored()).containsExactly("placed");
    assertThat(reserved()).containsExactly(1);
  }

  @Test
  void twoDatabasesAndTheOutboxRollBackTogether() {
    assertThatThrownBy(
            () ->
                inTransaction(
                    () -> {
                      outbox.publish("placed", "1");
                      reserve(1);
                      fail();
                    }))
        .hasMessage("as planned");

    assertThat(stored()).isEmpty();
    assertThat(reserved()).isEmpty();
  }

  @Test
  void aResourceThatCannotCommitTakesTheMessageBack() {
    RefusingResource broker = new RefusingResource();

    assertThatThrownBy(
            () ->
                inTransaction(
                    () -> {
                      outbox.publish("placed", "1");
                      reserve(1);
                      broker.join(jta);
                    }))
        .isInstanceOf(UnexpectedRollbackException.class);

    assertThat(broker.wasAsked()).isTrue();
    assertThat(stored()).isEmpty();
    assertThat(reserved()).isEmpty();
  }

  @Test
  void oneThatCanOnlyBeRolledBackIsToldAsThatAndNotAsAFailedWrite() {
    orderSql.execute("ALTER TABLE outbox_message RENAME TO hidden");

    assertThatThrownBy(
            () ->
                inTransaction(
                    () -> {
                      outbox.publish("outer", "1");
                      assertThatThrownBy(() -> inTransaction(JtaTest::fail))
                          .hasMessage("as planned");
                      outbox.publish("later", "1");
                    }))
        .isInstanceOf(UnexpectedRollbackException.class);
  }

  /** A key is claimed at once, so that there is a connection when the transaction is suspended. */
  @Test
  void aSuspendedTransactionGoesOnWithAnotherConnection() {
    inTransaction(
        () -> {
          outbox.publish(keyed("first"));
          inNewTransaction(() -> outbox.publish(keyed("inner")));
          outbox.publish(keyed("second"));
        });

    assertThat(stored()).containsExactly("inner", "first", "second");
  }

  private static Message keyed(String type) {
    return Message.of(type).payload("1").idempotencyKey(type).build();
  }

  @Test
  void messagesBelongToATransactionThatWasBegunOutsideOfSpring() throws Exception {
    jta.begin();
    inTransaction(() -> outbox.publish("kept", "1"));
    jta.commit();
    jta.begin();
    inTransaction(() -> outbox.publish("dropped", "1"));
    jta.rollback();

    assertThat(stored()).containsExactly("kept");
  }

  @ParameterizedTest
  @ValueSource(ints = {Ordered.HIGHEST_PRECEDENCE, 0, Ordered.LOWEST_PRECEDENCE})
  void callbacksBeforeTheCommitMayPublish(int order) throws Exception {
    inTransaction(() -> beforeCommit(order, () -> outbox.publish("only-in-callback", "1")));
    inTransaction(
        () -> {
          outbox.publish("before", "1");
          beforeCommit(order, () -> outbox.publish("in-callback", "1"));
        });
    jta.begin();
    inTransaction(() -> beforeCommit(order, () -> outbox.publish("begun-outside", "1")));
    jta.commit();

    assertThat(stored())
        .containsExactly("only-in-callback", "before", "in-callback", "begun-outside");
  }

  /** Application servers have the one; those who bring their own manager have the other. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theEndOfATransactionIsToldByTheRegistryOrTheManager(boolean registry) throws Exception {
    if (registry) {
      manager.setTransactionManager(null);
      manager.setTransactionSynchronizationRegistry(Narayana.registry());
    }
    jta.begin();
    inTransaction(
        () -> beforeCommit(Ordered.LOWEST_PRECEDENCE, () -> outbox.publish("in-callback", "1")));
    jta.commit();

    assertThat(stored()).containsExactly("in-callback");
  }

  private static void beforeCommit(int order, Runnable action) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public int getOrder() {
            return order;
          }

          @Override
          public void beforeCommit(boolean readOnly) {
            action.run();
          }
        });
  }

  @Test
  void callbacksAfterTheCommitMayNot() {
    inTransaction(
        () ->
            TransactionSynchronizationManager.registerSynchronization(
                new TransactionSynchronization() {
                  @Override
                  public void afterCommit() {
                    assertThatThrownBy(() -> outbox.publish("late", "1"))
                        .isInstanceOf(PublishException.class)
                        .hasMessageContaining("Publish before the commit");
                  }
                }));

    assertThat(stored()).isEmpty();
  }

  @Test
  void aNestedTransactionIsRefusedSinceItsRollbackWouldNotTakeTheMessageBack() {
    inTransaction(
        () -> {
          outbox.publish("outer", "1");
          inNestedTransaction(
              () -> {
                assertThatThrownBy(() -> outbox.publish("nested", "1"))
                    .isInstanceOf(PublishException.class)
                    .hasMessageContaining("REQUIRES_NEW instead of NESTED");
                inNewTransaction(() -> outbox.publish("new", "1"));
              });
          assertThatThrownBy(() -> inNestedTransaction(JtaTest::fail)).hasMessage("as planned");
          outbox.publish("outer-again", "1");
        });

    assertThat(stored()).containsExactly("new", "outer", "outer-again");
  }

  /** As those of Atomikos do. */
  @Test
  void aConnectionMayJoinTheTransactionWithItsFirstStatement() {
    DataSource late = new LazyConnectionDataSourceProxy(orders);
    try (Posthorn other =
        Posthorn.publishOnly(JdbcMessageStore.on(late), SpringTransactions.on(late, manager))
            .start()) {
      inTransaction(() -> other.outbox().publish("placed", "1"));
      assertThatThrownBy(
              () ->
                  inTransaction(
                      () -> {
                        other.outbox().publish("dropped", "1");
                        fail();
                      }))
          .hasMessage("as planned");
    }

    assertThat(stored()).containsExactly("placed");
  }

  @Test
  void aDataSourceThatTakesNoPartIsRefused() {
    JdbcConnectionPool plain =
        JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID(), "sa", "");
    try (Posthorn other =
        Posthorn.publishOnly(JdbcMessageStore.on(plain), SpringTransactions.on(plain, manager))
            .start()) {
      inTransaction(
          () ->
              assertThatThrownBy(() -> other.outbox().publish("placed", "1"))
                  .isInstanceOf(PublishException.class)
                  .hasMessageContaining("takes no part in JTA transactions"));
    }
    assertThat(plain.getActiveConnections()).isZero();
    plain.dispose();
  }
}
