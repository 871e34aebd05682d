/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.DueRequest;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Ask;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How many statements a message costs, as the server of MySQL or MariaDB counts them. */
abstract class StatementCountContract extends OneDatabase {
  private static final int MESSAGES = 100;

  /** How many queries a read takes that returns rows. */
  protected abstract long queriesOfARead();

  private interface Work {
    void run() throws Exception;
  }

  private static List<NewMessage> messages() {
    return IntStream.range(0, MESSAGES)
        .mapToObj(
            i ->
                new NewMessage(
                    i % 64,
                    new Envelope(
                        UUID.randomUUID(),
                        TYPE,
                        null,
                        "k" + i,
                        null,
                        Map.of(),
                        "application/json",
                        new byte[10],
                        Instant.EPOCH,
                        null)))
        .toList();
  }

  private Map<String, Long> counts() throws Exception {
    Map<String, Long> counts = new TreeMap<>();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_insert', 'Com_delete', 'Com_update', 'Com_select', 'Com_insert_select')")) {
      while (rows.next()) {
        counts.put(rows.getString(1), rows.getLong(2));
      }
    }
    return counts;
  }

  /** Those that were counted meanwhile, but for those of which there was none. */
  private Map<String, Long> during(Work work) throws Exception {
    Map<String, Long> before = counts();
    work.run();
    Map<String, Long> after = counts();
    after.replaceAll((name, count) -> count - before.get(name));
    after.values().removeIf(count -> count == 0);
    return after;
  }

  @Test
  void manyMessagesCostNoMoreStatementsThanOne() throws Exception {
    try (RelayStore relay = store.relay(Duration.ofSeconds(30))) {
      RelayIdentity me = relay.join("a", Map.of());
      assertThat(
              during(
                  () ->
                      transactions.run(
                          connection -> store.append(transactions.current(), messages()))))
          .isEqualTo(Map.of("Com_insert", 1L));

      ReadResult[] read = new ReadResult[1];
      assertThat(during(() -> read[0] = read(relay, Ask.MARK)))
          .isEqualTo(Map.of("Com_select", queriesOfARead()));
      assertThat(read[0].rows()).hasSize(MESSAGES);
      assertThat(during(() -> read(relay, Ask.NOTHING))) // the gates come first
          .isEqualTo(Map.of("Com_select", queriesOfARead() + 1));
      assertThat(during(() -> read(relay, Ask.NOTHING)))
          .isEqualTo(Map.of("Com_select", queriesOfARead()));

      assertThat(during(() -> settle(relay, me, read[0].rows())))
          .isEqualTo(Map.of("Com_select", 1L, "Com_delete", 1L));
      assertThat(read(relay, Ask.NOTHING).rows()).isEmpty();
    }
  }

  @Test
  void dueRowsOfManyPartitionsAndHandlersAreLookedForByFewStatements()
      throws Exception { // issue 19
    try (RelayStore relay = store.relay(Duration.ofSeconds(30))) {
      relay.join("a", Map.of());
      List<DueRequest.Heads> slices =
          IntStream.range(0, 64)
              .boxed()
              .flatMap(
                  partition ->
                      Stream.of("bill", "ship", "ledger", "audit")
                          .map(handler -> new DueRequest.Heads(partition, handler, 10)))
              .toList();
      DueRequest request = new DueRequest(slices, List.of(), 10, 100, Long.MAX_VALUE);

      assertThat(during(() -> relay.readDue(request))).isEqualTo(Map.of("Com_select", 3L));
    }
  }

  /** MySQL keeps 250 tables open for a session, and opens and closes the rest each time. */
  @Test
  void noStatementOfAReadNamesMoreTablesThanStayOpen() throws Exception { // issue 19
    try (RelayStore relay = store.relay(Duration.ofSeconds(30))) {
      List<Slice> slices =
          IntStream.range(0, 64).mapToObj(partition -> new Slice(partition, 0, 10)).toList();
      ReadRequest request =
          new ReadRequest(
              slices,
              new long[0],
              new ReadRequest.Lanes(List.of("bill", "ship", "ledger", "audit"), Set.of(0)),
              100,
              Long.MAX_VALUE,
              Ask.NOTHING);

      // For each partition the messages, and two tables for each handler: 22 in a statement.
      assertThat(during(() -> relay.read(request)).get("Com_select")).isBetween(3L, 4L);
    }
  }

  private static void settle(RelayStore relay, RelayIdentity me, List<StoredMessage> rows) {
    List<Settlement.Ready> delivered =
        rows.stream()
            .map(
                row ->
                    new Settlement.Ready(
                        row.partition(),
                        row.seq(),
                        row.envelope().id(),
                        row.envelope().key(),
                        row.place(),
                        List.of(),
                        List.of()))
            .toList();
    assertThat(relay.settle(me, new Settlement(delivered, List.of()))).isTrue();
  }

  private static ReadResult read(RelayStore relay, Ask ask) {
    List<Slice> slices =
        IntStream.range(0, 64).mapToObj(partition -> new Slice(partition, 0, MESSAGES)).toList();
    return relay.read(
        new ReadRequest(
            slices, new long[0], ReadRequest.Lanes.NONE, 10 * MESSAGES, Long.MAX_VALUE, ask));
  }
}
