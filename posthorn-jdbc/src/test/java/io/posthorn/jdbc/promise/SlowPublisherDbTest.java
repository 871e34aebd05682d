/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.test.StoreAssert;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A transaction that has drawn its seqs commits long after the look-back: PostgreSQL tells that it
 * was under way, so its messages come at once, and in order.
 */
class SlowPublisherDbTest extends OneDatabase {
  private static final Duration LOOK_BACK = Duration.ofMillis(200);
  private static final String KEY = "slow";

  private final List<Delivery> received = new ArrayList<>();
  private SteppedRelay relay;

  @BeforeEach
  void start() {
    relay =
        relay(
            "a",
            builder ->
                builder
                    .relay(options -> options.lookBack(LOOK_BACK))
                    .handler(
                        HANDLER, TYPE, String.class, (text, delivery) -> received.add(delivery)));
    relay.drain();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nextMessageOfAKeyDoesNotOvertakeASlowTransaction(boolean prepared) throws Exception {
    try (OpenTransaction slow = publishSlowly(1, prepared)) {
      letOthersPass();
      slow.commit();
      UUID second = publish(KEY);
      relay.drain();

      assertThat(ofTheKey()).hasSize(2);
      assertThat(ofTheKey().get(1).messageId()).isEqualTo(second);
    }
  }

  /** As many as a transaction buffers. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void manyMessagesOfASlowTransactionComeAtOnce(boolean prepared) throws Exception {
    try (OpenTransaction slow = publishSlowly(500, prepared)) {
      letOthersPass();
      slow.commit();
      UUID next = publish(KEY);
      relay.drain();
      for (int i = 0; i < 10; i++) {
        database.clock().advance(Duration.ofMillis(100));
        relay.drain();
      }

      assertThat(ofTheKey()).hasSize(501);
      assertThat(ofTheKey()).extracting(delivery -> delivery.message().seq()).isSorted();
      assertThat(ofTheKey().get(500).messageId()).isEqualTo(next);
      StoreAssert.assertThat(database.rows()).hasNoMessages();
    }
  }

  /** Nobody waits for it: what others publish comes at once, in its partition too. */
  @Test
  void slowTransactionHoldsUpNobody() throws Exception {
    try (OpenTransaction slow = publishSlowly(1, false)) {
      letOthersPass();
      assertThat(ofTheKey()).isEmpty();
      slow.commit();
    }
  }

  private OpenTransaction publishSlowly(int count, boolean prepared) throws SQLException {
    OpenTransaction open =
        OpenTransaction.in(
            database,
            """
            INSERT INTO outbox_message (partition_no, id, type, message_key, content_type, payload, occurred_at, created_at)
            SELECT %d, gen_random_uuid(), '%s', '%s', 'application/json', decode('7b7d', 'hex'), now(), now()
              FROM generate_series(1, %d)
            """
                .formatted(partitionOf(KEY), TYPE, KEY, count));
    return prepared ? open.prepare() : open;
  }

  /** Far beyond the look-back, each of them delivered at once. */
  private void letOthersPass() throws Exception {
    String neighbour = neighbourOf(KEY);
    for (int i = 0; i < 50; i++) {
      int before = received.size();
      List<UUID> others = new ArrayList<>(publish(neighbour, 2));
      others.add(publish("other-" + i));
      relay.drain();
      assertThat(received.subList(before, received.size()))
          .extracting(Delivery::messageId)
          .containsExactlyInAnyOrderElementsOf(others);
      database.clock().advance(Duration.ofMillis(100));
    }
  }

  private List<Delivery> ofTheKey() {
    return received.stream().filter(delivery -> KEY.equals(delivery.key())).toList();
  }
}
