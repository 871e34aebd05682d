/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.H2Dialect;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.StoreException.Kind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the empty text is NULL, as on Oracle, a message must not lose its key without a word. */
class EmptyTextTest {
  private static final class EmptyIsNull extends H2Dialect {
    @Override
    public boolean emptyTextIsNull() {
      return true;
    }
  }

  private final TestDatabase database = TestDatabase.h2();
  private JdbcTransactions transactions;
  private Posthorn publisher;

  @BeforeEach
  void open() {
    transactions = database.transactions();
    JdbcMessageStore store =
        JdbcMessageStore.builder(database.dataSource()).dialect(new EmptyIsNull()).build();
    store.open();
    publisher = Posthorn.publishOnly(store, transactions).build();
  }

  @AfterEach
  void close() {
    publisher.close();
    database.close();
  }

  private static Message with(String what, String text) {
    Message.Builder message = Message.of("order-placed").payload("{}");
    return switch (what) {
      case "key" -> message.key(text).build();
      case "tenant" -> message.tenant(text).build();
      default -> message.aggregateType(text).build();
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"key", "tenant", "aggregate type"})
  void emptyTextIsRefused(String what) {
    assertThatThrownBy(
            () -> transactions.run(connection -> publisher.outbox().publish(with(what, ""))))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CONTENT))
        .hasMessageContaining("its %s was \"\"", what);
    assertThat(database.rows().ready()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"key", "tenant", "aggregate type"})
  void blankTextIsNot(String what) throws Exception {
    transactions.run(connection -> publisher.outbox().publish(with(what, " ")));

    assertThat(database.rows().ready()).hasSize(1);
  }
}
