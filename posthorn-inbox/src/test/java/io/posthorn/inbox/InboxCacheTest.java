/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.jdbc.JdbcTransactions;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InboxCacheTest {
  private final TestDatabase database = TestDatabase.h2();
  private final JdbcTransactions transactions = database.transactions();
  private final MapCache cache = new MapCache();
  private final Counts counts = new Counts();
  private final Inbox inbox =
      Inbox.builder(database.table().build(), transactions).cache(cache).listener(counts).build();

  @AfterEach
  void close() {
    database.close();
  }

  private boolean handle(String consumer, String messageId) {
    return inbox.once(consumer, messageId, () -> {});
  }

  @Test
  void whatIsKnownNeedsNoDatabase() {
    handle("warehouse", "m-1");
    database.close();

    assertThat(handle("warehouse", "m-1")).isFalse();
    assertThat(counts.all())
        .isEqualTo(
            Map.of(
                "miss for warehouse", 1,
                "consumed by warehouse", 1,
                "hit for warehouse", 1,
                "duplicate for warehouse", 1));
  }

  @Test
  void whatTheCacheForgotIsInTheTable() {
    handle("warehouse", "m-1");
    cache.clear();

    assertThat(handle("warehouse", "m-1")).isFalse();
  }

  @Test
  void anotherConsumersMessageIsNotKnown() {
    handle("warehouse", "m-1");

    assertThat(handle("billing", "m-1")).isTrue();
  }

  @Test
  void itIsWrittenAfterTheCommitOnly() throws Exception {
    transactions.run(
        connection -> {
          handle("warehouse", "m-1");
          assertThat(cache.entries()).isEmpty();
        });
    assertThat(cache.entries()).containsExactly("warehouse/m-1");

    try (Connection connection = transactions.begin()) {
      handle("warehouse", "m-2");
      connection.rollback();
    }
    assertThatThrownBy(
            () ->
                inbox.once(
                    "warehouse",
                    "m-3",
                    () -> {
                      throw new IllegalStateException("no parcel");
                    }))
        .hasMessage("no parcel");
    assertThat(cache.entries()).containsExactly("warehouse/m-1");
  }

  @Test
  void aCacheThatFailsFailsNoMessage() {
    cache.broken = true;

    assertThat(handle("warehouse", "m-1")).isTrue();
    assertThat(handle("warehouse", "m-1")).isFalse();
    assertThat(counts.all()).containsEntry("miss for warehouse", 2);

    cache.broken = false;
    assertThat(handle("warehouse", "m-2")).isTrue();
    assertThat(cache.entries()).containsExactly("warehouse/m-2");
  }

  @Test
  void aBatchIsAskedForTheRestOnly() {
    handle("warehouse", "m-1");
    List<String> handed = new ArrayList<>();

    inbox.onceEach("warehouse", List.of("m-2", "m-1"), Function.identity(), handed::addAll);

    assertThat(handed).containsExactly("m-2");
    assertThat(counts.all())
        .containsEntry("hit for warehouse", 1)
        .containsEntry("miss for warehouse", 2)
        .containsEntry("duplicate for warehouse", 1);
  }

  @Test
  void aListenerThatFailsFailsNoMessage() {
    Inbox told =
        Inbox.builder(database.table().build(), transactions)
            .listener(
                new InboxListener() {
                  @Override
                  public void consumed(String consumer, int messages) {
                    throw new IllegalStateException("no counter");
                  }
                })
            .listener(counts)
            .build();

    assertThat(told.once("warehouse", "m-1", () -> {})).isTrue();
    assertThat(counts.all()).isEqualTo(Map.of("consumed by warehouse", 1));
  }
}
