/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.ConfigurationException;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.PublishException;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class SpringTransactionsTest {
  private final DataSource dataSource = database();
  private final JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
  private final JdbcTemplate sql = new JdbcTemplate(dataSource);
  private final SpringTransactions transactions = SpringTransactions.on(dataSource, manager);
  private final Connection keepAlive = connection();
  private final Posthorn posthorn =
      Posthorn.publishOnly(JdbcMessageStore.on(dataSource), transactions).start();
  private final Outbox outbox = posthorn.outbox();

  private static DataSource database() {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:" + UUID.randomUUID());
    return database;
  }

  /** While it is open the database exists. */
  private Connection connection() {
    try {
      return dataSource.getConnection();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void stop() throws SQLException {
    posthorn.close();
    assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    keepAlive.close();
  }

  private TransactionTemplate transaction(int propagation) {
    TransactionTemplate template = new TransactionTemplate(manager);
    template.setPropagationBehavior(propagation);
    return template;
  }

  private TransactionTemplate required() {
    return transaction(TransactionDefinition.PROPAGATION_REQUIRED);
  }

  private List<String> stored() {
    return sql.queryForList("SELECT type FROM outbox_message ORDER BY seq", String.class);
  }

  @Test
  void messagesAreStoredWithTheCommit() {
    required()
        .executeWithoutResult(
            status -> {
              outbox.publish("first", "1");
              outbox.publish("second", "2");
              assertThat(stored()).isEmpty();
            });

    assertThat(stored()).containsExactly("first", "second");
  }

  @Test
  void aRollbackLeavesNoTrace() {
    required()
        .executeWithoutResult(
            status -> {
              outbox.publish("never", "1");
              status.setRollbackOnly();
            });

    assertThat(stored()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theConnectionIsStillTheTransactionsWhenActionsAfterItsEndRun(boolean rolledBack) {
    List<Boolean> open = new ArrayList<>();
    required()
        .executeWithoutResult(
            status -> {
              Transaction transaction = transactions.current();
              Connection connection = transaction.unwrap(Connection.class);
              Runnable look = () -> open.add(isUsable(connection));
              transaction.afterCommit(look);
              transaction.afterRollback(look);
              assertThat(transaction.keepsResourcesToItsEnd()).isTrue();
              if (rolledBack) {
                status.setRollbackOnly();
              }
            });

    assertThat(open).containsExactly(true);
  }

  private static boolean isUsable(Connection connection) {
    try (Statement statement = connection.createStatement()) {
      return !statement.execute("SET LOCK_TIMEOUT 1000");
    } catch (SQLException e) {
      return false;
    }
  }

  @Test
  void withoutATransactionTheErrorSaysWhatToDo() {
    assertThatThrownBy(() -> outbox.publish("t", "1"))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining("no active transaction")
        .hasMessageContaining("@Transactional");
  }

  @Test
  void aTransactionInNameOnlyIsNone() {
    transaction(TransactionDefinition.PROPAGATION_SUPPORTS)
        .executeWithoutResult(
            status ->
                assertThatThrownBy(() -> outbox.publish("t", "1"))
                    .hasMessageContaining("no active transaction"));
  }

  @Test
  void aReadOnlyTransactionIsRefused() {
    TransactionTemplate reading = required();
    reading.setReadOnly(true);

    reading.executeWithoutResult(
        status ->
            assertThatThrownBy(() -> outbox.publish("t", "1"))
                .isInstanceOf(PublishException.class)
                .hasMessageContaining("the transaction is read-only"));
  }

  @Test
  void aTransactionOnAnotherDataSourceIsRefused() {
    new TransactionTemplate(new JdbcTransactionManager(database()))
        .executeWithoutResult(
            status ->
                assertThatThrownBy(() -> outbox.publish("t", "1"))
                    .isInstanceOf(PublishException.class)
                    .hasMessageContaining("another data source"));
  }

  @Test
  void aConnectionOutsideOfItsTransactionIsNotEnough() {
    new TransactionTemplate(new JdbcTransactionManager(database()))
        .executeWithoutResult(
            status -> {
              assertThat(stored()).isEmpty(); // binds a connection to the thread
              assertThatThrownBy(() -> outbox.publish("t", "1"))
                  .isInstanceOf(PublishException.class)
                  .hasMessageContaining("another data source");
            });

    assertThat(stored()).isEmpty();
  }

  @Test
  void anInnerTransactionOfItsOwnCommitsForItself() {
    required()
        .executeWithoutResult(
            outer -> {
              outbox.publish("outer", "1");
              transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                  .executeWithoutResult(inner -> outbox.publish("inner", "2"));
              assertThat(stored()).containsExactly("inner");
              outbox.publish("outer-again", "3");
            });

    assertThat(stored()).containsExactly("inner", "outer", "outer-again");
  }

  @Test
  void anInnerTransactionOfItsOwnOutlivesTheRollbackOfTheOuterOne() {
    required()
        .executeWithoutResult(
            outer -> {
              outbox.publish("outer", "1");
              transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                  .executeWithoutResult(inner -> outbox.publish("inner", "2"));
              outer.setRollbackOnly();
            });

    assertThat(stored()).containsExactly("inner");
  }

  @Test
  void anInnerTransactionOfItsOwnRollsBackForItself() {
    required()
        .executeWithoutResult(
            outer -> {
              outbox.publish("outer", "1");
              transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                  .executeWithoutResult(
                      inner -> {
                        outbox.publish("inner", "2");
                        inner.setRollbackOnly();
                      });
            });

    assertThat(stored()).containsExactly("outer");
  }

  @Test
  void aNestedTransactionTakesItsMessagesBack() {
    required()
        .executeWithoutResult(
            outer -> {
              outbox.publish("before", "1");
              transaction(TransactionDefinition.PROPAGATION_NESTED)
                  .executeWithoutResult(
                      nested -> {
                        outbox.publish("nested", "2");
                        nested.setRollbackOnly();
                      });
              outbox.publish("after", "3");
            });

    assertThat(stored()).containsExactly("before", "after");
  }

  @Test
  void aNestedTransactionTakesTheFirstMessagesBackToo() {
    required()
        .executeWithoutResult(
            outer -> {
              transaction(TransactionDefinition.PROPAGATION_NESTED)
                  .executeWithoutResult(
                      nested -> {
                        outbox.publish("nested", "1");
                        nested.setRollbackOnly();
                      });
              outbox.publish("after", "2");
            });

    assertThat(stored()).containsExactly("after");
  }

  @Test
  void aNestedTransactionThatCommitsKeepsItsMessages() {
    required()
        .executeWithoutResult(
            outer ->
                transaction(TransactionDefinition.PROPAGATION_NESTED)
                    .executeWithoutResult(nested -> outbox.publish("nested", "1")));

    assertThat(stored()).containsExactly("nested");
  }

  @ParameterizedTest
  @ValueSource(ints = {Ordered.HIGHEST_PRECEDENCE, 0, Ordered.LOWEST_PRECEDENCE})
  void callbacksBeforeTheCommitMayPublish(int order) {
    for (boolean publishedBefore : new boolean[] {false, true}) {
      required()
          .executeWithoutResult(
              status -> {
                if (publishedBefore) {
                  outbox.publish("before", "1");
                }
                register(order, () -> outbox.publish("in-callback", "2"), () -> {});
              });
    }

    assertThat(stored()).containsOnlyOnce("before").contains("in-callback").hasSize(3);
  }

  @Test
  void callbacksAfterTheCommitMayNot() {
    for (boolean publishedBefore : new boolean[] {false, true}) {
      required()
          .executeWithoutResult(
              status -> {
                if (publishedBefore) {
                  outbox.publish("before", "1");
                }
                register(
                    0,
                    () -> {},
                    () ->
                        assertThatThrownBy(() -> outbox.publish("late", "2"))
                            .isInstanceOf(PublishException.class)
                            .hasMessageContaining("Publish before the commit"));
              });
    }

    assertThat(stored()).containsExactly("before");
  }

  private static void register(int order, Runnable beforeCommit, Runnable afterCommit) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public int getOrder() {
            return order;
          }

          @Override
          public void beforeCommit(boolean readOnly) {
            beforeCommit.run();
          }

          @Override
          public void afterCommit() {
            afterCommit.run();
          }
        });
  }

  @Test
  void aFailedWriteRollsEverythingBackAndReachesTheCaller() {
    sql.execute("CREATE TABLE business (id int)");
    sql.execute("ALTER TABLE outbox_message RENAME TO hidden");

    assertThatThrownBy(
            () ->
                required()
                    .executeWithoutResult(
                        status -> {
                          sql.update("INSERT INTO business VALUES (1)");
                          outbox.publish("t", "2");
                        }))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("OUTBOX_MESSAGE");
    assertThat(sql.queryForObject("SELECT count(*) FROM business", Integer.class)).isZero();
  }

  @Test
  void aProxyThatIsAwareOfTransactionsStandsForItsDataSource() {
    SpringTransactions ofProxy =
        SpringTransactions.on(new TransactionAwareDataSourceProxy(dataSource), manager);
    try (Posthorn other = Posthorn.publishOnly(JdbcMessageStore.on(dataSource), ofProxy).start()) {
      required().executeWithoutResult(status -> other.outbox().publish("by-proxy", "1"));
    }

    assertThat(stored()).containsExactly("by-proxy");
  }

  @Test
  void aStoreOnTheProxyItselfIsRefusedWithTheReason() { // issue 18, E13
    DataSource proxy = new TransactionAwareDataSourceProxy(dataSource);

    assertThatThrownBy(
            () ->
                Posthorn.publishOnly(
                        JdbcMessageStore.on(proxy), SpringTransactions.on(proxy, manager))
                    .build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("the store was given a TransactionAwareDataSourceProxy")
        .hasMessageContaining("pass the data source behind the proxy");
    assertThatThrownBy(
            () ->
                Posthorn.publishOnly(
                        JdbcMessageStore.on(database()), SpringTransactions.on(proxy, manager))
                    .build())
        .hasMessageContaining("different data sources");
  }

  /**
   * One for each message, as transactional listeners register them; counts how often it is sorted.
   */
  private static final class Counted implements TransactionSynchronization {
    int sorted;

    @Override
    public int getOrder() {
      sorted++;
      return 0;
    }
  }

  @Test
  void publishingDoesNotLookAtTheOtherCallbacksOfTheTransaction() { // issue 18, E12
    List<Counted> others = new ArrayList<>();
    required()
        .executeWithoutResult(
            status -> {
              for (int i = 0; i < 50; i++) {
                outbox.publish("t", "1");
                Counted other = new Counted();
                others.add(other);
                TransactionSynchronizationManager.registerSynchronization(other);
              }
              assertThat(others).allMatch(other -> other.sorted == 0);
            });

    assertThat(stored()).hasSize(50);
  }

  @Test
  void aTransactionThatNobodyEndsCanBeAbandoned() { // hostile.md, D6
    manager.getTransaction(new DefaultTransactionDefinition());
    sql.update("CREATE TABLE leftover (id INT)");
    sql.update("INSERT INTO leftover VALUES (1)");
    outbox.publish("never", "1");
    assertThat(transactions.isThreadInTransaction()).isTrue();

    transactions.abandon();

    assertThat(transactions.isThreadInTransaction()).isFalse();
    assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    assertThat(sql.queryForObject("SELECT count(*) FROM leftover", Integer.class)).isZero();
    required().executeWithoutResult(status -> outbox.publish("next", "1"));
    assertThat(stored()).containsExactly("next");
  }

  @Test
  void workInATransactionCommitsOrRollsBack() throws Exception {
    assertThat(transactions.canBegin()).isTrue();
    assertThat(transactions.inTransaction(() -> outbox.publish("kept", "1"))).isNotNull();
    assertThatThrownBy(
            () ->
                transactions.inTransaction(
                    () -> {
                      outbox.publish("dropped", "1");
                      throw new IllegalStateException("as planned");
                    }))
        .hasMessage("as planned");

    assertThat(stored()).containsExactly("kept");
  }
}
