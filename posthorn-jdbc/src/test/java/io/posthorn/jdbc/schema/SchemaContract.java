/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.AdminAction;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.fixture.ShippedScripts;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.ReadRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tables are created once, under the names that were asked for, as the shipped script says. */
abstract class SchemaContract extends FreshDatabaseContract {
  private static final Duration LEASE = Duration.ofSeconds(30);

  private long lastSeq;

  private static List<String> keys(MessageStore store) {
    try (RelayStore relay = store.relay(LEASE)) {
      return relay
          .read(
              new ReadRequest(
                  List.of(new ReadRequest.Slice(0, 0, 100)),
                  new long[0],
                  ReadRequest.Lanes.NONE,
                  100,
                  Long.MAX_VALUE,
                  ReadRequest.Ask.NOTHING))
          .rows()
          .stream()
          .map(row -> row.envelope().key())
          .toList();
    }
  }

  /** The name of a schema, which may be written so. */
  String inAnotherCase(String schema) {
    return schema;
  }

  /** How an id is written in SQL. */
  String literal(UUID id) {
    return "'" + id + "'";
  }

  private String shippedScript() {
    return ShippedScripts.read(database().dialect().name() + "/V1__create_outbox.sql");
  }

  @Test
  void createdTablesHave64Partitions() {
    assertThat(creating().build().open()).isEqualTo(64);

    assertThat(database().rows().partitions()).hasSize(64);
  }

  @Test
  void tablesThatExistAreKeptWithWhatTheyHold() throws Exception {
    MessageStore first = creating().partitions(12).build();
    first.open();
    append(first, "order-1");

    MessageStore second = creating().partitions(99).build();

    assertThat(second.open()).isEqualTo(12);
    assertThat(first.open()).isEqualTo(12);
    assertThat(keys(second)).containsExactly("order-1");
  }

  @Test
  void numberOfPartitionsCanBeChosenAtCreation() {
    assertThat(creating().tablePrefix("one_").partitions(1).build().open()).isEqualTo(1);
    assertThat(creating().tablePrefix("most_").partitions(1024).build().open()).isEqualTo(1024);
    assertThat(finding().tablePrefix("most_").build().open()).isEqualTo(1024);
  }

  @Test
  void concurrentCreatorsAgreeOnOneSetOfTables() throws Exception {
    int creators = 6;
    CyclicBarrier together = new CyclicBarrier(creators);
    Callable<Integer> creation =
        () -> {
          MessageStore store = creating().build();
          together.await(30, TimeUnit.SECONDS);
          return store.open();
        };
    ExecutorService threads = Executors.newFixedThreadPool(creators);
    try {
      for (Future<Integer> opened :
          threads.invokeAll(Collections.nCopies(creators, creation), 60, TimeUnit.SECONDS)) {
        assertThat(opened.get()).isEqualTo(64);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void outboxesWithDifferentPrefixesDoNotSeeEachOther() throws Exception {
    MessageStore orders = creating().tablePrefix("orders_").build();
    MessageStore bills = creating().tablePrefix("Bills_2_").partitions(8).build();
    assertThat(orders.open()).isEqualTo(64);
    assertThat(bills.open()).isEqualTo(8);
    append(orders, "order-1");
    append(bills, "bill-1");

    assertThat(keys(orders)).containsExactly("order-1");
    assertThat(keys(bills)).containsExactly("bill-1");
    ownershipIsApart(orders, bills);
  }

  @Test
  void outboxesInDifferentSchemasDoNotSeeEachOther() throws Exception {
    database().createSchema("orders");
    database().createSchema("bills");
    MessageStore orders = creating().schema("orders").build();
    MessageStore bills = creating().schema(inAnotherCase("Bills")).partitions(8).build();
    assertThat(orders.open()).isEqualTo(64);
    assertThat(bills.open()).isEqualTo(8);
    append(orders, "order-1");
    append(bills, "bill-1");

    assertThat(keys(orders)).containsExactly("order-1");
    assertThat(keys(bills)).containsExactly("bill-1");
    ownershipIsApart(orders, bills);
  }

  @Test
  void eachTableCanHaveAFullName() throws Exception {
    database().createSchema("sales");
    Map<String, String> names =
        Map.of(
            "message", "orders_to_send",
            "deferred", "orders_waiting",
            "partition", "order_slices",
            "schema", "order_version",
            "seq", "order_number",
            "ready_view", "orders_in_words");
    MessageStore named = named(creating().schema("sales"), names).build();
    MessageStore plain = creating().schema("sales").tablePrefix("plain_").build();
    named.open();
    plain.open();
    append(named, "order-1");

    assertThat(keys(named)).containsExactly("order-1");
    assertThat(keys(plain)).isEmpty();
    ownershipIsApart(named, plain);
    assertThat(named(finding().schema("sales"), names).build().open()).isEqualTo(64);
    assertThat(database().number("SELECT count(*) FROM sales.orders_to_send")).isEqualTo(1);
    assertThat(database().number("SELECT count(*) FROM sales.orders_in_words")).isEqualTo(1);
  }

  private static JdbcMessageStore.Builder named(
      JdbcMessageStore.Builder builder, Map<String, String> names) {
    names.forEach(builder::table);
    return builder;
  }

  private static void ownershipIsApart(MessageStore first, MessageStore second) {
    try (RelayStore one = first.relay(LEASE);
        RelayStore other = second.relay(LEASE)) {
      RelayIdentity me = one.join("a", Map.of());
      one.take(me, List.of(new PartitionOwner(0, null, 0)));

      assertThat(other.survey().instances()).isEmpty();
      assertThat(other.survey().partitions().get(0)).isEqualTo(new PartitionOwner(0, null, 0));
      assertThat(other.heartbeat(me, "")).isFalse();
    }
  }

  @Test
  void longestNamesWork() throws Exception {
    String schema = "s".repeat(63);
    database().createSchema(schema);
    MessageStore store = creating().schema(schema).tablePrefix("p".repeat(30)).build();
    store.open();

    append(store, "order-1");

    assertThat(keys(store)).containsExactly("order-1");
    store
        .wakeChannel()
        .ifPresent(
            channel -> {
              try (channel) {
                channel.receive(Duration.ofMillis(1));
                channel.send("wake");
                assertThat(channel.receive(Duration.ofSeconds(30))).containsExactly("wake");
              }
            });
  }

  @Test
  void shippedScriptRunsAsItStands() throws Exception {
    database().execute(shippedScript());

    assertThat(finding().build().open()).isEqualTo(64);
  }

  @Test
  void shippedScriptGivesTheSameTablesAsAutomaticCreation() throws Exception {
    database().execute(shippedScript());
    creating().tablePrefix("auto_").build().open();

    assertThat(TableShapes.read(database().dataSource(), "auto_"))
        .isEqualTo(TableShapes.read(database().dataSource(), "outbox_"))
        .hasSizeGreaterThan(150)
        .contains("deferred check deferred_reason_ck", "pause check pause_kind_ck");
  }

  private void defer(int partition, String reason, int attempts) {
    database()
        .execute(
            """
            INSERT INTO outbox_deferred (partition_no, seq, handler, id, type, content_type, occurred_at, created_at,
                                         in_lane, reason, attempts, deferred_at)
            VALUES (%d, %d, 'mailer', %s, 't', 'text/plain', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP,
                    FALSE, '%s', %d, CURRENT_TIMESTAMP)
            """
                .formatted(partition, ++lastSeq, literal(UUID.randomUUID()), reason, attempts));
  }

  private void pause(String kind) {
    database()
        .execute(
            "INSERT INTO outbox_pause (kind, name, paused_at) VALUES ('%s', 'x', CURRENT_TIMESTAMP)"
                .formatted(kind));
  }

  private void act(String state) {
    database()
        .execute(
            """
            INSERT INTO outbox_action (id, kind, who, target, state, entries, started_at, changed_at)
            VALUES (%s, 'RETRY', 'anna', 'everything', '%s', 0, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)
            """
                .formatted(literal(UUID.randomUUID()), state));
  }

  @Test
  void tablesTakeAllReasonsAndKindsThatThereAreAndNoOthers() {
    creating().build().open();

    for (DeferReason reason : DeferReason.values()) {
      defer(0, reason.name(), 0);
    }
    for (FleetSurvey.Paused kind : FleetSurvey.Paused.values()) {
      pause(kind.name());
    }

    for (AdminAction.State state : AdminAction.State.values()) {
      act(state.name());
    }

    refuses("deferred_reason_ck", () -> defer(0, "LATER", 0));
    refuses("pause_kind_ck", () -> pause("TENANT"));
    refuses("action_state_ck", () -> act("FORGOTTEN"));
  }

  @Test
  void tablesRefuseNegativeNumbersWhereThereAreNone() {
    creating().build().open();

    refuses("deferred_partition_ck", () -> defer(-1, "HELD", 0));
    refuses("deferred_attempts_ck", () -> defer(0, "HELD", -1));
    refuses(
        "partition_number_ck",
        () ->
            database()
                .execute("UPDATE outbox_partition SET partition_no = -1 WHERE partition_no = 0"));
  }

  private static void refuses(String check, ThrowingCallable change) {
    assertThatThrownBy(change).rootCause().message().containsIgnoringCase(check);
  }
}
