/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.servers.PostgresServer;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A transaction that has written, but publishes nothing, changes nothing for the relay: its reads
 * do not walk over what was delivered since that transaction began.
 */
class ForeignTransactionDbTest extends MeteredRelayDbTest {
  private static final String ELSEWHERE = "CREATE TABLE foreign_work AS SELECT 1 AS n";

  /** Who has written, and where. */
  enum Foreign {
    IN_THIS_DATABASE,
    IN_ANOTHER_DATABASE,
    PREPARED;

    OpenTransaction begin(String url) throws SQLException {
      return switch (this) {
        case IN_THIS_DATABASE -> OpenTransaction.at(url, ELSEWHERE);
        case IN_ANOTHER_DATABASE ->
            OpenTransaction.at(PostgresServer.shared().jdbcUrl(), ELSEWHERE);
        case PREPARED -> OpenTransaction.at(url, ELSEWHERE).prepare();
      };
    }
  }

  private final AtomicInteger handled = new AtomicInteger();

  @ParameterizedTest
  @EnumSource
  void readsStayAsShortAsBefore(Foreign foreign) throws Exception {
    double before = entriesPerMessage();
    double beside;
    try (OpenTransaction open = foreign.begin(database.url())) {
      beside = entriesPerMessage();
      open.rollback();
    }

    assertThat(handled.get()).isEqualTo(2 * MESSAGES);
    assertThat(beside).as("index entries met for each message").isLessThan(2 * before);
  }

  private double entriesPerMessage() throws Exception {
    return entriesPerMessage(
        builder ->
            builder.handler(
                HANDLER, TYPE, String.class, (text, delivery) -> handled.incrementAndGet()));
  }
}
