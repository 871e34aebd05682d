/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.test.DeliveryLog;
import io.posthorn.test.MutableClock;
import io.posthorn.test.StepRunner;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What a transactional handler's failure means once Spring has translated it. Issue 17, point 7.
 */
class TranslatedFailureTest {
  private final FailingDataSource dataSource = new FailingDataSource();
  private final JdbcTemplate sql = new JdbcTemplate(dataSource);
  private final MutableClock clock = new MutableClock();
  private final StepRunner steps = new StepRunner();
  private final DeliveryLog log = new DeliveryLog();
  private final AtomicInteger calls = new AtomicInteger();
  private Connection keepAlive;
  private RuntimeException failure;
  private Posthorn posthorn;

  /** H2, but for the commits and connections that a test makes fail. */
  private static final class FailingDataSource extends DelegatingDataSource {
    private final JdbcDataSource database = new JdbcDataSource();
    private SQLException atCommit;
    private SQLException atBegin;
    private boolean answerIsLost;

    FailingDataSource() {
      database.setURL("jdbc:h2:mem:" + UUID.randomUUID());
      setTargetDataSource(database);
    }

    @Override
    public Connection getConnection() throws SQLException {
      if (atBegin != null) {
        throw atBegin;
      }
      Connection connection = super.getConnection();
      return (Connection)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {Connection.class},
              (self, method, arguments) -> {
                if (method.getName().equals("commit") && atCommit != null) {
                  if (answerIsLost) {
                    connection.commit();
                  } else {
                    connection.rollback();
                  }
                  throw atCommit;
                }
                try {
                  return method.invoke(connection, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }
  }

  @BeforeEach
  void createEffects() throws SQLException {
    keepAlive = dataSource.getConnection();
    sql.execute("CREATE TABLE effect (name varchar(20))");
  }

  @AfterEach
  void stop() throws SQLException {
    dataSource.atCommit = null;
    dataSource.atBegin = null;
    posthorn.close();
    keepAlive.close();
  }

  private void start(PlatformTransactionManager manager) {
    JdbcMessageStore store =
        JdbcMessageStore.builder(dataSource).relayDataSource(dataSource.database).build();
    posthorn =
        Posthorn.inOneProcess(store, SpringTransactions.on(dataSource, manager))
            .clock(clock)
            .ticker(clock.ticker())
            .dutyRunner(steps)
            .listener(log)
            .relay(relay -> relay.name("a").executor(Runnable::run))
            .handler(
                HandlerSpec.of("ledger", "placed", String.class, this::book)
                    .transactional()
                    .retry(RetryPolicy.fixed(Duration.ofHours(1), 3)))
            .start();
    new TransactionTemplate(manager)
        .executeWithoutResult(status -> posthorn.outbox().publish("placed", "1"));
  }

  private void book(String payload, Delivery delivery) {
    calls.incrementAndGet();
    sql.update("INSERT INTO effect VALUES (?)", payload);
    if (failure != null) {
      throw failure;
    }
  }

  private int effects() {
    return sql.queryForList("SELECT name FROM effect").size();
  }

  private void assertOutage() {
    assertThat(log.circuits()).containsExactly("ledger opened");
    assertThat(log.retrying()).isEmpty();
    assertThat(sql.queryForList("SELECT seq FROM outbox_deferred")).isEmpty();
  }

  private void assertAttempt() {
    assertThat(log.circuits()).isEmpty();
    assertThat(log.retrying()).hasSize(1);
    assertThat(sql.queryForList("SELECT attempts FROM outbox_deferred", Integer.class))
        .containsExactly(1);
  }

  private static SQLException state(String state) {
    return new SQLException("as planned", state);
  }

  static Stream<Arguments> outages() {
    return Stream.of(
            new DataAccessResourceFailureException("cut", state("08006")),
            new DataAccessResourceFailureException("too many", state("53300")),
            new DataAccessResourceFailureException("shutdown", state("57P01")),
            new CannotGetJdbcConnectionException(
                "used up", new SQLTransientConnectionException("used up")),
            new CannotCreateTransactionException(
                "of another one", new SQLTransientConnectionException("used up")),
            new TransactionSystemException("at another one's commit", state("08006")),
            new UncategorizedSQLException("task", "SELECT 1", state("57P03")))
        .map(Arguments::arguments);
  }

  @ParameterizedTest
  @MethodSource("outages")
  void anUnavailableDatabaseCostsNoAttempt(RuntimeException translated) {
    failure = translated;
    start(new JdbcTransactionManager(dataSource));

    steps.drain();

    assertOutage();
  }

  static Stream<Arguments> ownFailures() {
    return Stream.of(
            new DuplicateKeyException("twice", state("23505")),
            new DataIntegrityViolationException("too long", state("22001")),
            new UncategorizedSQLException("task", "SELECT 1", state("25P02")),
            new UncategorizedSQLException("task", "SELECT 1", state("P0001")),
            new CannotAcquireLockException("locked", state("55P03")),
            new QueryTimeoutException("slow", state("57014")),
            new TransactionSystemException("at another one's commit", state("25P02")),
            new TransactionSystemException("of no database"),
            new UnexpectedRollbackException("marked by another"))
        .map(Arguments::arguments);
  }

  @ParameterizedTest
  @MethodSource("ownFailures")
  void anythingElseIsAnAttempt(RuntimeException translated) {
    failure = translated;
    start(new JdbcTransactionManager(dataSource));

    steps.drain();

    assertAttempt();
  }

  static Stream<Arguments> managers() {
    return Stream.of(
        arguments((ManagerOf) JdbcTransactionManager::new),
        arguments((ManagerOf) DataSourceTransactionManager::new));
  }

  interface ManagerOf {
    PlatformTransactionManager with(DataSource dataSource);
  }

  @ParameterizedTest
  @MethodSource("managers")
  void aCommitThatFindsNoDatabaseCostsNoAttempt(ManagerOf manager) {
    start(manager.with(dataSource));
    assertBookedOnceAfterAnOutageAtTheCommit();
  }

  @ParameterizedTest
  @MethodSource("managers")
  void aCommitWhoseAnswerIsLostCostsNoAttemptAndIsNotRepeated(ManagerOf manager) {
    dataSource.answerIsLost = true;
    start(manager.with(dataSource));
    assertBookedOnceAfterAnOutageAtTheCommit();
  }

  private void assertBookedOnceAfterAnOutageAtTheCommit() {
    dataSource.atCommit = state("08006");
    steps.drain();
    dataSource.atCommit = null;
    assertOutage();

    clock.advance(Duration.ofSeconds(5));
    steps.drain();

    assertThat(effects()).isOne();
    assertThat(log.delivered()).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("managers")
  void aCommitOfAnAbortedTransactionIsAnAttempt(ManagerOf manager) {
    start(manager.with(dataSource));
    dataSource.atCommit = state("25P02");
    steps.drain();
    dataSource.atCommit = null;

    assertAttempt(); // issue 17, M2
    assertThat(effects()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"28P01", "53300", "08001"})
  void aTransactionThatCannotBeginCostsNoAttempt(String why) {
    start(new JdbcTransactionManager(dataSource));
    steps.step("lease");
    dataSource.atBegin = state(why);
    steps.step("read");
    dataSource.atBegin = null;

    assertOutage();
    assertThat(calls).hasValue(0);
  }
}
