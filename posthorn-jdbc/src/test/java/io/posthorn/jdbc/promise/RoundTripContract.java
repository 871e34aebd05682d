/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.StatementCounter;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Ask;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * How often the database is asked for what is done to a hundred messages of as many keys. Begin and
 * commit of transactions are not counted.
 */
abstract class RoundTripContract extends OneDatabase {
  private static final int MESSAGES = 100;
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final StatementCounter counter = new StatementCounter();

  /** By what is done. */
  protected abstract Map<String, Long> expected();

  private interface Work {
    void run() throws Exception;
  }

  private long during(Work work) throws Exception {
    long before = counter.sent();
    work.run();
    return counter.sent() - before;
  }

  private static List<NewMessage> messages() {
    return IntStream.range(0, MESSAGES).mapToObj(RoundTripContract::message).toList();
  }

  private static NewMessage message(int number) {
    return new NewMessage(
        number % 64,
        new Envelope(
            UUID.randomUUID(),
            TYPE,
            null,
            "k" + number,
            null,
            Map.of(),
            "application/json",
            new byte[10],
            Instant.EPOCH,
            null));
  }

  @Test
  void aHundredMessagesCostFewRoundTrips() throws Exception {
    DataSource counted = counter.of(database.dataSource());
    JdbcTransactions publishers = new JdbcTransactions(counted);
    MessageStore asked = JdbcMessageStore.builder(counted).dialect(database.dialect()).build();
    asked.open();
    Map<String, Long> found = new TreeMap<>();
    try (RelayStore relay = asked.relay(LEASE)) {
      RelayIdentity me = relay.join("a", Map.of());
      relay.read(request()); // what is asked once in a relay's life
      found.put(
          "publish",
          during(() -> publishers.run(c -> asked.append(publishers.current(), messages()))));
      ReadResult[] read = new ReadResult[1];
      found.put("read", during(() -> read[0] = relay.read(request())));
      assertThat(read[0].rows()).hasSize(MESSAGES);
      List<StoredMessage> half = read[0].rows().subList(0, MESSAGES / 2);
      List<StoredMessage> rest = read[0].rows().subList(MESSAGES / 2, MESSAGES);
      found.put("settle delivered", during(() -> relay.settle(me, delivered(half))));
      found.put("settle failed", during(() -> relay.settle(me, failed(rest))));
      relay.read(request());
      found.put("read nothing", during(() -> relay.read(request())));
    }
    assertThat(found).isEqualTo(expected());
  }

  private static ReadRequest request() {
    List<Slice> slices =
        IntStream.range(0, 64).mapToObj(partition -> new Slice(partition, 0, MESSAGES)).toList();
    return new ReadRequest(
        slices, new long[0], ReadRequest.Lanes.NONE, 10 * MESSAGES, Long.MAX_VALUE, Ask.NOTHING);
  }

  private static Settlement delivered(List<StoredMessage> rows) {
    return new Settlement(rows.stream().map(row -> ready(row, List.of())).toList(), List.of());
  }

  private static Settlement failed(List<StoredMessage> rows) {
    Fate retried = new Fate.Deferred(DeferReason.RETRYING, 1, Duration.ofMinutes(1), "as planned");
    return new Settlement(
        rows.stream()
            .map(row -> ready(row, List.of(new Settlement.Leftover("ship", retried))))
            .toList(),
        List.of());
  }

  private static Settlement.Ready ready(StoredMessage row, List<Settlement.Leftover> others) {
    return new Settlement.Ready(
        row.partition(),
        row.seq(),
        row.envelope().id(),
        row.envelope().key(),
        row.place(),
        others,
        List.of());
  }
}
