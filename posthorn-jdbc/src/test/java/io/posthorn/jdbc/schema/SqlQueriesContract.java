/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What docs/sql.md asks is answered, by the views that the script creates. */
abstract class SqlQueriesContract extends FreshDatabaseContract {
  /** The first byte of a character, or one that cannot be: on both sides of each limit. */
  private static final int[] FIRST = {
    0x01, 0x7f, 0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1,
    0xf3, 0xf4, 0xf5, 0xff
  };

  /** The second byte; the limits differ by the first one. */
  private static final int[] SECOND = {0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0};

  /** The columns of each question that do not tell the time. */
  private static final Map<String, List<String>> COLUMNS = new LinkedHashMap<>();

  private static final Map<String, List<String>> ANSWERS = new LinkedHashMap<>();

  private static void expect(String question, String columns, String... rows) {
    COLUMNS.put(question, List.of(columns.split(", ", -1)));
    ANSWERS.put(question, List.of(rows));
  }

  static {
    expect(
        "What is ready, and since when?",
        "why, type, messages",
        "for relay relay-a | order-placed | 1",
        "no relay owns the partition | order-cancelled | 1",
        "the lease of relay relay-b has ended | order-placed | 1",
        "the partition is paused | order-cancelled | 1");
    expect(
        "What waits for which handler, and why?",
        "handler, reason, why, messages",
        "* | DELAYED | to be delivered later, as published | 1",
        "ledger | WAITING | the handler is paused | 1",
        "mailer | BLOCKED | not a message: keeps its lane blocked until an operator decides | 1",
        "mailer | HELD | waits for an earlier message of its key | 1",
        "mailer | RETRYING | attempt 3 failed, the next one follows at due_at | 1");
    expect(
        "Which lanes are blocked, since when, and by what?",
        "handler, message_key, messages, reason, error",
        "mailer | order-17 | 2 | RETRYING | timeout",
        "mailer | order-9 | 1 | BLOCKED | null");
    expect(
        "Which dead letters are there, by handler and error?",
        "handler, type, error, messages",
        "mailer | order-placed | no route | 2");
    expect(
        "What is in a dead letter?",
        "message_id, message_key, attempts, error, blocks_lane, payload",
        OperatorScene.id(2) + " | order-1 | 1 | no route | no | {\"city\":\"Köln\"}",
        OperatorScene.id(3) + " | order-9 | 10 | no route | yes | {\"city\":\"Köln\"}");
    expect(
        "What is the oldest undelivered message?",
        "place, type, message_key, message_id",
        "WAITING | order-placed | null | " + OperatorScene.id(16));
    expect(
        "What will be due in the next five minutes?",
        "handler, type, message_key, attempts, why",
        "ledger | order-placed | null | 0 | the handler is paused",
        "mailer | order-placed | order-17 | 3 | attempt 3 failed, the next one follows at due_at");
    expect(
        "Who owns which partitions, and are the leases valid?",
        "owner, state, partitions, crashes",
        "null | no owner | 1 | 0",
        "null | paused | 1 | 0",
        "relay-a | owned | 1 | 0",
        "relay-b | lease ended | 1 | 0");
    expect(
        "Is one message delivered, or where is it?",
        "place, handler, detail",
        "RETRYING | mailer | attempt 3 failed, the next one follows at due_at",
        "delivered | search | order-placed");
    expect(
        "What waits of one key?",
        "handler, seq, place, why, error",
        "* | 20 | ready | for relay relay-a | null",
        "mailer | 17 | RETRYING | attempt 3 failed, the next one follows at due_at | timeout",
        "mailer | 18 | HELD | waits for an earlier message of its key | null");
    expect(
        "How many messages of each type are undelivered?",
        "type, ready, deferred, dead",
        "order-cancelled | 2 | 0 | 0",
        "order-placed | 2 | 3 | 2",
        "reminder | 0 | 1 | 0");
    expect("What is paused?", "kind, name", "HANDLER | ledger", "PARTITION | 2");
    expect(
        "What did operators do?",
        "who, kind, target, entries, state, why",
        "anna | RETRY | handler = mailer | 17 | DONE | mail server is back");
    expect(
        "What was delivered in the last hour, and how long did it take?",
        "handler, type, messages, slowest_seconds",
        "search | order-placed | 1 | 670");
  }

  /** Whether a text can hold the character zero. */
  boolean zeroIsText() {
    return true;
  }

  /** Whether halves of a surrogate pair can be stored as text; clients show something for them. */
  boolean surrogatesAreText() {
    return false;
  }

  private boolean isHalfOfAPair(byte[] payload) {
    return payload.length == 3 && payload[0] == (byte) 0xed && (payload[1] & 0xff) >= 0xa0;
  }

  private List<String> ask(String sql, List<String> columns) throws SQLException {
    List<String> answers = new ArrayList<>();
    try (Connection connection = database().dataSource().getConnection();
        PreparedStatement query = connection.prepareStatement(sql);
        ResultSet rows = query.executeQuery()) {
      while (rows.next()) {
        List<String> values = new ArrayList<>();
        for (String column : columns) {
          values.add(String.valueOf(rows.getString(column)));
        }
        answers.add(String.join(" | ", values));
      }
    }
    return answers;
  }

  private void open(String prefix) {
    creating().tablePrefix(prefix).partitions(4).build().open();
  }

  @Test
  void eachQuestionOfTheDocumentIsAnswered() throws Exception {
    open("outbox_");
    new OperatorScene(database(), "outbox_").fill();

    Map<String, String> queries = SqlQueries.read();
    Map<String, List<String>> answers = new LinkedHashMap<>();
    for (Map.Entry<String, String> query : queries.entrySet()) {
      List<String> columns = COLUMNS.getOrDefault(query.getKey(), List.of());
      answers.put(query.getKey(), ask(query.getValue(), columns));
    }

    // Where nulls go, and the order of rows that are alike, is not said.
    answers.replaceAll((question, rows) -> rows.stream().sorted().toList());
    assertThat(queries).hasSize((int) SqlQueries.blocks());
    assertThat(answers).isEqualTo(ANSWERS);
  }

  @Test
  void rowsComeInTheOrderThatTheQuestionAsksFor() throws Exception {
    open("outbox_");
    new OperatorScene(database(), "outbox_").fill();
    Map<String, String> queries = SqlQueries.read();

    assertThat(ask(queries.get("What waits of one key?"), List.of("seq")))
        .containsExactly("17", "18", "20");
    assertThat(
            ask(
                queries.get("Which lanes are blocked, since when, and by what?"),
                List.of("message_key")))
        .containsExactly("order-17", "order-9");
    assertThat(ask(queries.get("What will be due in the next five minutes?"), List.of("handler")))
        .containsExactly("ledger", "mailer");
  }

  @Test
  void viewsHaveThePrefixOfTheirTables() throws Exception {
    open("shop_");
    open("Bills_2_");
    new OperatorScene(database(), "shop_").fill();

    String dead = SqlQueries.read().get("Which dead letters are there, by handler and error?");

    assertThat(ask(dead.replace("outbox_", "shop_"), List.of("messages"))).containsExactly("2");
    assertThat(ask(dead.replace("outbox_", "Bills_2_"), List.of("messages"))).isEmpty();
  }

  private static @Nullable String strictly(byte[] payload) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private List<byte[]> payloads() {
    List<byte[]> payloads = new ArrayList<>();
    payloads.add(new byte[0]);
    payloads.add(
        "{\"smile\":\"\uD83D\uDE00\",\"line\":\"a\\nb\"}\n".getBytes(StandardCharsets.UTF_8));
    payloads.add("Köln".getBytes(StandardCharsets.ISO_8859_1));
    payloads.add(new byte[] {'a', 0, 'b'});
    for (int first : FIRST) {
      int length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
      for (int second : SECOND) {
        byte[] payload = {(byte) first, (byte) second, (byte) 0x80, (byte) 0xbf};
        payloads.add(Arrays.copyOf(payload, length));
        payloads.add(Arrays.copyOf(payload, Math.max(2, length) - 1)); // broken off
      }
    }
    return payloads;
  }

  private String shown(byte[] payload) {
    String text = strictly(payload);
    return text != null && (zeroIsText() || text.indexOf(0) < 0) ? text : "not text";
  }

  @Test
  void payloadsAreShownAsTextIfTheyAreText() throws Exception {
    open("outbox_");
    OperatorScene scene = new OperatorScene(database(), "outbox_");
    List<byte[]> payloads = payloads();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < payloads.size(); i++) {
      scene.ready(i + 1, payloads.get(i));
      expected.add(shown(payloads.get(i)));
    }
    assertThat(expected).anyMatch("not text"::equals).hasSizeGreaterThan(300);

    List<String> found =
        ask("SELECT payload FROM outbox_ready_view ORDER BY seq", List.of("payload"));

    for (int i = 0; i < payloads.size(); i++) {
      if (surrogatesAreText() && isHalfOfAPair(payloads.get(i))) {
        continue;
      }
      String hex = HexFormat.of().formatHex(payloads.get(i));
      String bytes = payloads.get(i).length + " bytes that are not text: 0x" + hex;
      assertThat(found.get(i))
          .as("payload %s", Arrays.toString(payloads.get(i)))
          .isEqualToIgnoringCase(expected.get(i).equals("not text") ? bytes : expected.get(i));
    }
  }

  @Test
  void largeAndMissingPayloadsDoNotStopTheView() throws Exception {
    open("outbox_");
    OperatorScene scene = new OperatorScene(database(), "outbox_");
    byte[] large = new byte[5_000_000];
    scene.ready(1, large);
    Arrays.fill(large, (byte) 'x');
    scene.ready(2, large);
    scene.ready(3, null);
    large[4_999_999] = (byte) 0xff;
    scene.ready(4, large);

    List<String> found =
        ask("SELECT payload FROM outbox_ready_view ORDER BY seq", List.of("payload"));

    assertThat(found).hasSize(4);
    assertThat(found.get(1)).matches("(?s)x{100}.*|5000000 bytes, beginning with 0x.*");
    assertThat(found.get(2)).isEqualTo("null");
    assertThat(found.get(3)).startsWith("5000000 bytes").hasSizeLessThan(300);
  }
}
