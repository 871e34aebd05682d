/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.servers.MySqlServer;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Ask;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * A query of MariaDB may show a transaction without an earlier one for which it has waited. Here
 * the earlier one is committed as soon as the query has returned, which looks the same.
 */
class MariaDbLateViewDbTest extends OneDatabase {
  private final AtomicReference<Connection> late = new AtomicReference<>();

  @Override
  protected TestDatabase newDatabase() {
    return TestDatabase.mySql(MySqlServer.sharedMariaDb(), config -> {});
  }

  private static NewMessage message(UUID id, String key) {
    return new NewMessage(
        0,
        new Envelope(
            id, TYPE, null, key, null, Map.of(), "text/plain", new byte[1], Instant.EPOCH, null));
  }

  @Test
  void rowWhoseForerunnerIsNotShownIsLeftToTheNextRead() throws Exception {
    UUID first = UUID.randomUUID();
    UUID second = UUID.randomUUID();
    UUID other = UUID.randomUUID();
    JdbcTransactions slow = database.transactions();
    Connection open = slow.begin();
    store.append(slow.current(), List.of(message(first, "k")));
    transactions.run(
        connection ->
            store.append(
                transactions.current(), List.of(message(second, "k"), message(other, "o"))));

    try (RelayStore reader =
        database
            .builder()
            .relayConnections(committing(database.dataSource()))
            .build()
            .relay(Duration.ofSeconds(30))) {
      late.set(open);
      assertThat(ids(reader)).containsExactly(other);
      assertThat(late).hasNullValue();
      assertThat(ids(reader)).containsExactly(first, second, other);
    }
  }

  private static List<UUID> ids(RelayStore reader) {
    return reader
        .read(
            new ReadRequest(
                List.of(new Slice(0, 0, 100)),
                new long[0],
                ReadRequest.Lanes.NONE,
                100,
                Long.MAX_VALUE,
                Ask.NOTHING))
        .rows()
        .stream()
        .map(row -> row.envelope().id())
        .toList();
  }

  /** Commits the late transaction when rows have been read. */
  private DataSource committing(DataSource target) {
    return proxy(DataSource.class, target);
  }

  private <T> T proxy(Class<T> type, T object) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (any, method, arguments) -> {
              if (method.getName().equals("createStatement")) {
                commitLate(); // the second look is not prepared
              }
              try {
                Object result = method.invoke(object, arguments);
                return method.getName().equals("getConnection")
                    ? proxy(Connection.class, (Connection) result)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(proxy);
  }

  private void commitLate() throws SQLException {
    Connection open = late.getAndSet(null);
    if (open != null) {
      open.commit();
      open.close();
    }
  }
}
