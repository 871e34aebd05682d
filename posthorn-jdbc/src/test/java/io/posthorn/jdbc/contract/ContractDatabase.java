/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.contract;

import com.zaxxer.hikari.HikariConfig;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.OldestPostgres;
import io.posthorn.jdbc.fixture.TableRows;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.jdbc.fixture.UnusualServers;
import io.posthorn.servers.MySqlServer;
import io.posthorn.servers.PostgresServer;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.Transaction;
import io.posthorn.test.MutableClock;
import io.posthorn.test.StoredRows;
import io.posthorn.test.contract.StoreUnderTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One database for the tests of a class, emptied before each. Registered as an extension, it is
 * closed after the last.
 */
final class ContractDatabase implements AfterAllCallback {
  private final Supplier<TestDatabase> creation;
  private final String schema;
  private final List<String> scripts;
  private TestDatabase database;
  private MessageStore store;

  private ContractDatabase(Supplier<TestDatabase> creation, String schema, List<String> scripts) {
    this.creation = creation;
    this.schema = schema;
    this.scripts = scripts;
  }

  static ContractDatabase of(Supplier<TestDatabase> creation) {
    return new ContractDatabase(creation, "", List.of());
  }

  static ContractDatabase h2() {
    return of(() -> TestDatabase.h2("", ContractDatabase::small));
  }

  /** One whose writers wait longer for each other than H2's second or two. */
  static ContractDatabase patientH2() {
    return of(() -> TestDatabase.h2(";LOCK_TIMEOUT=30000", ContractDatabase::small));
  }

  static ContractDatabase h2InPostgresMode() {
    String mode = ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH";
    return of(() -> TestDatabase.h2(mode, ContractDatabase::small));
  }

  static ContractDatabase postgres18() {
    return postgres18(config -> {});
  }

  /** With a pool that differs. */
  static ContractDatabase postgres18(Consumer<HikariConfig> settings) {
    Consumer<HikariConfig> pool = ContractDatabase::small;
    return of(() -> TestDatabase.postgres(PostgresServer.shared(), pool.andThen(settings)));
  }

  static ContractDatabase oldestPostgres() {
    return of(() -> TestDatabase.postgres(OldestPostgres.shared(), ContractDatabase::small));
  }

  static ContractDatabase mariaDb() {
    return mariaDb(config -> {});
  }

  /** With a pool that differs. */
  static ContractDatabase mariaDb(Consumer<HikariConfig> settings) {
    Consumer<HikariConfig> pool = ContractDatabase::small;
    return of(() -> TestDatabase.mySql(MySqlServer.sharedMariaDb(), pool.andThen(settings)));
  }

  /** For outcomes that are stored with a handler's work, where that is told apart. */
  static ContractDatabase mariaDbReadCommitted() {
    return mariaDb(ContractDatabase::readCommitted);
  }

  static ContractDatabase mySql() {
    return mySql(config -> {});
  }

  static ContractDatabase mySqlReadCommitted() {
    return mySql(ContractDatabase::readCommitted);
  }

  private static ContractDatabase mySql(Consumer<HikariConfig> settings) {
    Consumer<HikariConfig> pool = ContractDatabase::small;
    return of(() -> TestDatabase.mySql(MySqlServer.sharedMySql(), pool.andThen(settings)));
  }

  static ContractDatabase oracle() {
    return of(() -> TestDatabase.oracle(ContractDatabase::small));
  }

  static ContractDatabase sqlServer() {
    return of(() -> TestDatabase.sqlServer(ContractDatabase::small));
  }

  /** With settings of server and sessions that are not the defaults. */
  static ContractDatabase unusualMariaDb() {
    return unusual(UnusualServers::mariaDb, config -> {});
  }

  static ContractDatabase unusualMariaDbReadCommitted() {
    return unusual(UnusualServers::mariaDb, ContractDatabase::readCommitted);
  }

  /** Its server's own isolation is READ COMMITTED. */
  static ContractDatabase unusualMySql() {
    return unusual(UnusualServers::mySql, config -> {});
  }

  /** In a zone that is neither the server's nor that of this JVM, and without auto-commit. */
  private static ContractDatabase unusual(
      Supplier<MySqlServer> server, Consumer<HikariConfig> settings) {
    Consumer<HikariConfig> pool = ContractDatabase::small;
    return of(
        () ->
            TestDatabase.mySql(
                server.get(),
                pool.andThen(settings)
                    .andThen(
                        config -> {
                          config.setAutoCommit(false);
                          config.setConnectionInitSql("SET time_zone = '-03:30'");
                        })));
  }

  private static void readCommitted(HikariConfig config) {
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
  }

  /** Opens connections as they are needed: most tests need three. */
  private static void small(HikariConfig config) {
    config.setMinimumIdle(1);
  }

  /** The same, with the tables in a schema of this name. */
  ContractDatabase inSchema(String name) {
    return new ContractDatabase(creation, name, scripts);
  }

  /** The same, after this SQL was run on the created tables. */
  ContractDatabase after(String script) {
    return new ContractDatabase(creation, schema, List.of(script));
  }

  /** The store with empty tables. */
  StoreUnderTest emptied() {
    if (database == null) {
      database = creation.get();
      store = newStore();
      store.open();
      scripts.forEach(database::execute);
    } else {
      for (String table :
          List.of(
              "message",
              "deferred",
              "dead",
              "history",
              "idempotency",
              "pause",
              "action",
              "instance",
              "heartbeat",
              "gone")) {
        database.execute("DELETE FROM " + prefix() + table);
      }
      database.execute(
          "UPDATE "
              + prefix()
              + "partition SET owner_id = NULL, owner_incarnation = NULL, epoch = 0, crashes = 0, floor_seq = 0 WHERE epoch > 0");
      database.execute(
          "UPDATE " + prefix() + "deferred_floor SET seq_floor = 0, due_floor = DEFAULT");
    }
    return new OfOneTest();
  }

  private MessageStore newStore() {
    JdbcMessageStore.Builder builder = database.builder();
    if (!schema.isEmpty()) {
      database.createSchema(schema);
      builder.schema(schema);
    }
    return builder.build();
  }

  private String prefix() {
    return schema.isEmpty() ? "outbox_" : schema + ".outbox_";
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (database != null && !context.getRequiredTestClass().isMemberClass()) {
      database.close();
    }
  }

  private final class OfOneTest implements StoreUnderTest {
    @Override
    public MessageStore store() {
      return store;
    }

    @Override
    public MutableClock clock() {
      return database.clock();
    }

    @Override
    public StoredRows rows() {
      return TableRows.read(database.dataSource(), prefix());
    }

    @Override
    public void inTransaction(Consumer<Transaction> action) {
      JdbcTransactions transactions = new JdbcTransactions(database.dataSource());
      try {
        transactions.run(connection -> action.accept(transactions.current()));
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void takeBack(Transaction transaction, Runnable action) {
      Connection connection = transaction.unwrap(Connection.class);
      try {
        Savepoint savepoint = connection.setSavepoint();
        action.run();
        connection.rollback(savepoint);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {}
  }
}
