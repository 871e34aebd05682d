/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Promise 4: per lane in seq order, one at a time; a failed message holds its own lane only. */
class Promise4DbTest extends OneDatabase {
  private static final RetryPolicy THREE_TRIES =
      RetryPolicy.exponential(Duration.ofSeconds(10), Duration.ofMinutes(1), 3);

  private final List<Delivery> received = new ArrayList<>();
  private final Set<UUID> failing = new HashSet<>();

  private SteppedRelay recording(String name) {
    return relay(
        name,
        builder ->
            builder
                .relay(relay -> relay.retry(THREE_TRIES))
                .handler(
                    HANDLER,
                    TYPE,
                    String.class,
                    (text, delivery) -> {
                      if (failing.contains(delivery.messageId())) {
                        throw new IllegalStateException("not yet");
                      }
                      received.add(delivery);
                    })
                .handler("ledger", TYPE, String.class, (text, delivery) -> received.add(delivery)));
  }

  private List<UUID> received(String handler, String key) {
    return received.stream()
        .filter(delivery -> delivery.handler().equals(handler) && key.equals(delivery.key()))
        .map(Delivery::messageId)
        .toList();
  }

  @Test
  void promise4_aLaneStaysInOrderAcrossRetriesRestartsAndHandOver() throws Exception {
    List<UUID> ids = publish("k", 4);
    failing.add(ids.get(1));
    SteppedRelay first = recording("first");
    first.drain();
    assertThat(received(HANDLER, "k")).containsExactly(ids.get(0));
    StoreAssert.assertThat(database.rows()).laneIsBlocked(HANDLER, "k").hasReady(0);

    first.posthorn().stop(Duration.ofSeconds(5)); // a restart
    SteppedRelay second = recording("second");
    ids.add(publish("k"));
    second.drain();
    assertThat(received(HANDLER, "k")).containsExactly(ids.get(0));

    SteppedRelay third = recording("third"); // a hand-over by death
    database.clock().advance(SteppedRelay.LEASE.plusSeconds(1));
    third.drain();
    failing.clear();
    ids.add(publish("k"));
    database.clock().advance(Duration.ofMinutes(1));
    third.drain();

    assertThat(received(HANDLER, "k")).containsExactlyElementsOf(ids);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aFailedMessageHoldsNeitherAnotherHandlerNorAnotherKey() throws Exception {
    List<UUID> ids = publish("k", 3);
    List<UUID> others = publish("other", 3);
    failing.add(ids.get(0));
    SteppedRelay relay = recording("a");

    relay.drain();

    assertThat(received(HANDLER, "k")).isEmpty();
    assertThat(received("ledger", "k")).containsExactlyElementsOf(ids);
    assertThat(received(HANDLER, "other")).containsExactlyElementsOf(others);
    assertThat(received("ledger", "other")).containsExactlyElementsOf(others);
    assertThat(database.rows().deferred())
        .extracting(row -> row.handler() + " " + row.reason())
        .containsExactly(HANDLER + " RETRYING", HANDLER + " HELD", HANDLER + " HELD");
  }

  @Test
  void afterTheLastAttemptTheMessageIsDeadAndItsLaneGoesOn() throws Exception {
    List<UUID> ids = publish("k", 3);
    failing.add(ids.get(0));
    SteppedRelay relay = recording("a");
    for (int i = 0; i < 4; i++) {
      relay.drain();
      database.clock().advance(Duration.ofMinutes(1));
    }
    assertThat(received(HANDLER, "k")).containsExactly(ids.get(1), ids.get(2));
    assertThat(relay.log().retrying()).extracting(Delivery::attempt).containsExactly(1, 2);
    StoreAssert.assertThat(database.rows()).hasDeadLetters(1).laneIsFree(HANDLER, "k");
    assertThat(database.rows().dead().get(0).attempts()).isEqualTo(3);
    assertThat(database.rows().dead().get(0).error()).contains("not yet");
  }

  @Test
  void aRetryIsNotMadeBeforeItsTime() throws Exception {
    UUID id = publish("k");
    UUID keyless = publish((String) null);
    failing.addAll(List.of(id, keyless));
    SteppedRelay relay = recording("a");
    relay.drain();
    failing.clear();
    database.clock().advance(Duration.ofSeconds(8));
    relay.drain();
    assertThat(received).extracting(Delivery::handler).containsOnly("ledger");
    database.clock().advance(Duration.ofSeconds(3));
    relay.drain();
    assertThat(received)
        .filteredOn(delivery -> delivery.handler().equals(HANDLER))
        .extracting(Delivery::messageId)
        .containsExactlyInAnyOrder(id, keyless);
    assertThat(received)
        .filteredOn(delivery -> delivery.handler().equals(HANDLER))
        .allMatch(delivery -> delivery.isRetry() && delivery.attempt() == 2)
        .extracting(Delivery::lastError)
        .allSatisfy(error -> assertThat(error).contains("not yet"));
  }

  /** A late row goes before what is not delivered yet, and after what is. */
  @Test
  void aRowThatCommitsLateIsDeliveredWhenItAppears() throws Exception {
    SteppedRelay relay = recording("a");
    relay.drain();
    UUID late;
    try (var connection = transactions.begin()) {
      late = publisher.outbox().publish(message("k"));
      transactions
          .current()
          .beforeCommit(
              () -> { // its seq is drawn by now
                Thread other =
                    new Thread(
                        () -> {
                          try {
                            publish("k");
                          } catch (Exception e) {
                            throw new IllegalStateException(e);
                          }
                        });
                other.start();
                try {
                  other.join(30_000);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                relay.drain();
              });
      connection.commit();
    }
    assertThat(received(HANDLER, "k")).hasSize(1).doesNotContain(late);
    relay.drain();
    assertThat(received(HANDLER, "k")).hasSize(2).contains(late);
    assertThat(relay.log().deliveredSeqs(HANDLER, "k")).containsExactly(2L, 1L);
  }
}
