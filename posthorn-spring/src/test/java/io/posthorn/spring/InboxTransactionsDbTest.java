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
import io.posthorn.spi.StoreException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** An inbox in transactions of Spring's, where a failed statement ends a transaction. */
class InboxTransactionsDbTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private JdbcTemplate jdbc;
  private TransactionTemplate outer;
  private TransactionTemplate nested;
  private Inbox inbox;

  @BeforeEach
  void open() {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(PostgresServer.shared().freshDatabase());
    DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
    jdbc = new JdbcTemplate(dataSource);
    jdbc.execute("CREATE TABLE effect (what text)");
    outer = new TransactionTemplate(manager);
    nested = new TransactionTemplate(manager);
    nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
    inbox =
        Inbox.on(
            InboxTable.builder(dataSource).createTables(true).build(),
            SpringTransactions.on(dataSource, manager));
    inbox.open();
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
  }

  private boolean handle(boolean failing) {
    return inbox.once(
        "warehouse",
        "m-1",
        () -> {
          jdbc.update("INSERT INTO effect VALUES ('m-1')");
          if (failing) {
            jdbc.update("INSERT INTO effect VALUES (1 / 0)");
          }
        });
  }

  private long effects() {
    Long effects = jdbc.queryForObject("SELECT count(*) FROM effect", Long.class);
    return effects == null ? -1 : effects;
  }

  /** Each try in a savepoint. */
  @Test
  void aListenerThatTriesAgainWithinItsTransactionHandlesTheMessageOnce() {
    outer.executeWithoutResult(
        status -> {
          assertThatThrownBy(() -> nested.executeWithoutResult(inner -> handle(true)))
              .isInstanceOf(DataAccessException.class);
          nested.executeWithoutResult(inner -> assertThat(handle(false)).isTrue());
        });

    assertThat(handle(false)).as("a redelivery").isFalse();
    assertThat(effects()).isOne();
  }

  @Test
  void aListenerThatCatchesTheFailureCanTryAgain() {
    outer.executeWithoutResult(
        status -> {
          assertThatThrownBy(() -> handle(true)).isInstanceOf(DataAccessException.class);
          assertThat(handle(false)).isTrue();
        });

    assertThat(handle(false)).as("a redelivery").isFalse();
    assertThat(effects()).isOne();
  }

  @Test
  void aDuplicateWaitsNoLongerThanItsTransactionMayTake() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Future<?> first =
        threads.submit(
            () ->
                inbox.once(
                    "warehouse",
                    "m-1",
                    () -> {
                      held.countDown();
                      assertThat(end.await(60, TimeUnit.SECONDS)).isTrue();
                    }));
    assertThat(held.await(20, TimeUnit.SECONDS)).isTrue();
    outer.setTimeout(1);

    Future<?> duplicate = threads.submit(() -> outer.executeWithoutResult(status -> handle(false)));

    assertThatThrownBy(() -> duplicate.get(20, TimeUnit.SECONDS))
        .hasCauseInstanceOf(StoreException.class)
        .hasMessageContaining("Messages not recorded");
    end.countDown();
    first.get(20, TimeUnit.SECONDS);
  }
}
