/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.admin.RecordedStatements;
import io.posthorn.jdbc.fixture.TestDatabase;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A statement has no more than 8 MiB of payloads and headers, or a single message. */
class LargeInsertsTest {
  private static final int MIB = 1024 * 1024;

  private final TestDatabase database = TestDatabase.h2();
  private final RecordedStatements recorded = new RecordedStatements(database.dataSource());
  private final DataSource dataSource = recorded.dataSource();
  private final JdbcTransactions transactions = new JdbcTransactions(dataSource);
  private final Posthorn publisher =
      Posthorn.publishOnly(
              JdbcMessageStore.builder(dataSource)
                  .dialect(database.dialect())
                  .createTables(true)
                  .build(),
              transactions)
          .publish(options -> options.maxPayloadBytes(12 * MIB).promotedElsewhere(true))
          .build();

  @BeforeEach
  void createTables() throws Exception {
    publish(List.of(message(0).build()));
    recorded.clear();
  }

  @AfterEach
  void close() {
    publisher.close();
    database.close();
  }

  private static Message.Builder message(int payloadBytes) {
    return Message.of("t").key("k").payload(new byte[payloadBytes]);
  }

  private void publish(List<Message> messages) throws Exception {
    transactions.run(connection -> publisher.outbox().publishAll(messages));
  }

  private static List<Message> messages(int... payloadBytes) {
    return Arrays.stream(payloadBytes).mapToObj(bytes -> message(bytes).build()).toList();
  }

  /** How many rows each statement has written. */
  private List<Integer> rowsOf(String table) {
    return recorded.containing("INSERT INTO " + table).stream()
        .map(sql -> sql.split("\\), \\(", -1).length)
        .toList();
  }

  @Test
  void largeMessagesAreWrittenInSeveralStatements() throws Exception {
    publish(messages(3 * MIB, 3 * MIB, 3 * MIB, 3 * MIB, 3 * MIB));

    assertThat(rowsOf("outbox_message")).containsExactly(2, 2, 1);
    assertThat(database.number("SELECT count(*) FROM outbox_message")).isEqualTo(6);
  }

  @Test
  void oneThatIsLargerThanAStatementIsWrittenAlone() throws Exception {
    publish(messages(10, 10 * MIB, 10, 8 * MIB - 10, 10));

    assertThat(rowsOf("outbox_message")).containsExactly(1, 1, 2, 1);
  }

  @Test
  void headersCountToo() throws Exception {
    String large = "x".repeat(30_000 - 1);

    publish(IntStream.range(0, 400).mapToObj(i -> message(0).header("a", large).build()).toList());

    assertThat(rowsOf("outbox_message")).containsExactly(8 * MIB / 30_000, 400 - 8 * MIB / 30_000);
  }

  @Test
  void delayedMessagesAreBoundedToo() throws Exception {
    publish(
        IntStream.range(0, 5)
            .mapToObj(i -> message(3 * MIB).deliverAfter(Duration.ofHours(1)).build())
            .toList());

    assertThat(rowsOf("outbox_deferred")).containsExactly(2, 2, 1);
  }

  @Test
  void smallMessagesStayInOneStatement() throws Exception {
    publish(IntStream.range(0, 400).mapToObj(i -> message(100).build()).toList());

    assertThat(rowsOf("outbox_message")).containsExactly(400);
  }
}
