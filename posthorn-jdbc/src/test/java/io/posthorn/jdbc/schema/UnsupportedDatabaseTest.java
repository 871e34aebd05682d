/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.H2Dialect;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.fixture.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A database that no shipped dialect speaks to. */
class UnsupportedDatabaseTest {
  private final TestDatabase database = TestDatabase.h2("", config -> config.setMinimumIdle(1));
  private final DataSource informix = calledInformix(database.dataSource());

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void unsupportedDatabaseIsRefusedWithTheSupportedOnesAndTheWayOut() {
    JdbcMessageStore store = JdbcMessageStore.on(informix);

    assertThatThrownBy(store::open)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("no dialect for \"Informix 14.10\"")
        .hasMessageContaining("Supported: PostgreSQL, MySQL, MariaDB, H2, Oracle, SQL Server")
        .hasMessageContaining("dialect(");
  }

  @Test
  void dialectThatIsPassedIsUsedWhateverTheDatabaseIsCalled() {
    JdbcMessageStore store = JdbcMessageStore.builder(informix).dialect(new H2Dialect()).build();

    assertThat(store.open()).isEqualTo(64);
  }

  private static DataSource calledInformix(DataSource dataSource) {
    return (DataSource)
        answering(DataSource.class, dataSource, Map.of(), UnsupportedDatabaseTest::renamed);
  }

  private static Object renamed(Object result) {
    if (result instanceof Connection connection) {
      return answering(Connection.class, connection, Map.of(), UnsupportedDatabaseTest::renamed);
    }
    if (result instanceof DatabaseMetaData metaData) {
      Map<String, String> answers =
          Map.of("getDatabaseProductName", "Informix", "getDatabaseProductVersion", "14.10");
      return answering(DatabaseMetaData.class, metaData, answers, found -> found);
    }
    return result;
  }

  private static Object answering(
      Class<?> type, Object target, Map<String, String> answers, UnaryOperator<Object> wrap) {
    return Proxy.newProxyInstance(
        UnsupportedDatabaseTest.class.getClassLoader(),
        new Class<?>[] {type},
        (self, method, arguments) -> {
          String answer = answers.get(method.getName());
          if (answer != null) {
            return answer;
          }
          try {
            return wrap.apply(method.invoke(target, arguments));
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }
}
