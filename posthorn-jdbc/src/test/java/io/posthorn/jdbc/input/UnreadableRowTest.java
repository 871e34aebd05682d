/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Admin;
import io.posthorn.Admin.EntryId;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.jdbc.fixture.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UnreadableRowTest {
  private final TestDatabase database = TestDatabase.h2();

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void aRowWrittenByHandWithBrokenHeadersDoesNotStopTheOnesBehindIt() throws Exception {
    JdbcTransactions transactions = database.transactions();
    List<Map<String, String>> got = new CopyOnWriteArrayList<>();
    try (SteppedRelay relay =
        new SteppedRelay(
            "a",
            database.store(),
            transactions,
            database.clock(),
            builder ->
                builder.handler(
                    "mailer",
                    "t",
                    String.class,
                    (payload, delivery) -> got.add(delivery.headers())))) {
      database.execute(
          """
          INSERT INTO outbox_message
            (partition_no, id, type, message_key, headers, content_type, occurred_at, created_at)
          VALUES (8, RANDOM_UUID(), 't', '42', '{"retries": 1}', 'text/plain', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)
          """);
      transactions.run(
          connection ->
              relay
                  .posthorn()
                  .outbox()
                  .publish(io.posthorn.Message.of("t").key("42").header("a", "b").build()));

      relay.drain();
    }

    assertThat(got)
        .containsExactly(
            Map.of(
                "posthorn-unreadable-headers",
                "headers are not a JSON object of strings, at character 12"),
            Map.of("a", "b"));
    assertThat(database.rows().noMessages()).isTrue();
  }

  @Test
  void anEditDoesNotDestroyHeadersThatCannotBeRead() throws Exception {
    try (SteppedRelay relay =
        new SteppedRelay(
            "a",
            database.store(),
            database.transactions(),
            database.clock(),
            builder -> builder.handler("mailer", "t", String.class, (payload, delivery) -> {}))) {
      database.execute(
          """
          INSERT INTO outbox_dead
            (seq, partition_no, handler, id, type, headers, content_type, occurred_at, created_at, attempts, error, died_at)
          VALUES (1, 8, 'mailer', RANDOM_UUID(), 't', '{"retries": 1}', 'text/plain', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, 1, 'x', CURRENT_TIMESTAMP)
          """);
      Admin admin = relay.posthorn().admin();
      EntryId id = new EntryId(8, 1, "mailer");

      for (Supplier<Boolean> edit :
          List.<Supplier<Boolean>>of(
              () -> admin.deadLetters().setPayload(id, new byte[] {1}),
              () -> admin.deadLetters().setHeaders(id, Map.of("a", "b")))) {
        assertThatThrownBy(edit::get)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage(
                "Dead letter 8/1/mailer not changed: its headers are not a JSON object of strings, at character 12, and an edit would lose them; repair the column headers of its row in outbox_dead first");
      }

      assertThat(
              database.number(
                  "SELECT count(*) FROM outbox_dead WHERE headers = '{\"retries\": 1}' AND payload IS NULL"))
          .isEqualTo(1);
      assertThat(admin.actions().page(null, 10).items()).isEmpty();
      database.execute("UPDATE outbox_dead SET headers = '{\"retries\": \"1\"}'");
      assertThat(admin.deadLetters().setPayload(id, new byte[] {1})).isTrue();
    }
  }
}
