/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.JdbcMessageStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** A pool that hands connections out as they came back, as Tomcat's does by default. */
class PurgedConnectionTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void purgesGiveAConnectionBackAsItWas() throws SQLException {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:" + UUID.randomUUID());
    try (Connection only = database.getConnection()) {
      JdbcMessageStore store = JdbcMessageStore.on(poolOf(only));
      store.open();
      only.setAutoCommit(false);

      store.purgeReady(HOUR, 10);
      store.purgeHistory(HOUR, 10);
      store.purgeIdempotency(HOUR, 10);

      assertThat(only.getAutoCommit()).isFalse();
    }
  }

  private static DataSource poolOf(Connection only) {
    Connection borrowed =
        proxy(
            Connection.class,
            (self, method, arguments) ->
                method.getName().equals("close") ? null : method.invoke(only, arguments));
    return proxy(DataSource.class, (self, method, arguments) -> borrowed);
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            PurgedConnectionTest.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
