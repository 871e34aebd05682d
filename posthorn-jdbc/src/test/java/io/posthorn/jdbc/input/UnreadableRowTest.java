/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.jdbc.fixture.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
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
}
