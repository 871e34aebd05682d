/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two versions of an application on one database: the old one has handler A, the new one A, B and
 * the generic C, which wants some messages only.
 */
class VersionsSideBySideDbTest extends OneDatabase {
  private static final int KEYS = 20;

  private final List<Delivery> received = new ArrayList<>();
  private final List<UUID> all = new ArrayList<>();
  private final List<UUID> wantedByC = new ArrayList<>();

  private <P> Handler<P> receive() {
    return (payload, delivery) -> received.add(delivery);
  }

  private SteppedRelay oldVersion(String name) {
    return relay(
        name,
        builder ->
            builder
                .handler("A", TYPE, String.class, receive())
                .relay(r -> r.unknownTypeGrace(Duration.ofSeconds(40))));
  }

  private SteppedRelay newVersion(String name) {
    return relay(
        name,
        builder ->
            builder
                .handler("A", TYPE, String.class, receive())
                .handler("B", TYPE, String.class, receive())
                .handler(
                    HandlerSpec.generic(
                        "C", envelope -> envelope.headers().containsKey("c"), receive()))
                .relay(r -> r.unknownTypeGrace(Duration.ofSeconds(40))));
  }

  private void together(int seconds, SteppedRelay... relays) {
    for (int i = 0; i < seconds; i++) {
      database.clock().advance(Duration.ofSeconds(1));
      for (SteppedRelay relay : relays) {
        relay.drain();
      }
    }
  }

  private UUID publish(String type, @Nullable String key, boolean forC) throws Exception {
    Message.Builder message = Message.of(type).key(key).payload("{}");
    Message built = (forC ? message.header("c", "1") : message).build();
    UUID id = transactions.call(connection -> publisher.outbox().publish(built));
    all.add(id);
    if (forC) {
      wantedByC.add(id);
    }
    return id;
  }

  private void publishToAllKeys(String type) throws Exception {
    for (int i = 0; i < KEYS; i++) {
      publish(type, "key-" + i, false);
      publish(type, "key-" + i, true);
      publish(type, null, i % 2 == 0);
    }
  }

  private List<UUID> receivedBy(String handler) {
    return received.stream()
        .filter(delivery -> delivery.handler().equals(handler))
        .map(Delivery::messageId)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"old first", "new first"})
  void nothingIsLostOrBuriedAndEachHandlerGetsWhatItWantsOnce(String order) throws Exception {
    boolean oldFirst = order.startsWith("old");
    SteppedRelay first = oldFirst ? oldVersion("1") : newVersion("1");
    together(2, first);
    publishToAllKeys(TYPE);
    if (oldFirst) {
      all.clear(); // what is delivered before there is a new version is not for it
      wantedByC.clear();
      together(1, first);
      received.clear();
    }
    SteppedRelay second = oldFirst ? newVersion("2") : oldVersion("2");
    together(3, first, second); // half of the partitions are handed over
    publishToAllKeys(TYPE);
    together(3, first, second);
    publishToAllKeys(TYPE);
    (oldFirst ? first : second).close();
    together(3, oldFirst ? second : first);

    assertThat(receivedBy("A")).as("A").containsExactlyInAnyOrderElementsOf(all);
    assertThat(receivedBy("B")).as("B").containsExactlyInAnyOrderElementsOf(all);
    assertThat(receivedBy("C")).as("C").containsExactlyInAnyOrderElementsOf(wantedByC);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aMessageForAGenericHandlerOfTheNewVersionOutlivesTheGraceInTheOldOne() throws Exception {
    SteppedRelay old = oldVersion("old");
    together(2, old);
    SteppedRelay fresh = newVersion("fresh");
    together(3, old, fresh);
    for (int i = 0; i < KEYS; i++) {
      publish("unknown", "key-" + i, true);
    }
    together(100, old, fresh);
    StoreAssert.assertThat(database.rows()).hasDeadLetters(0);
    assertThat(database.rows().deferred()).isNotEmpty();
    old.close();
    together(35, fresh);

    assertThat(receivedBy("C")).containsExactlyInAnyOrderElementsOf(wantedByC);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void anUnknownTypeThatNobodyTakesIsADeadLetterAfterTheGraceAcrossARestart() throws Exception {
    SteppedRelay first = oldVersion("first");
    together(1, first);
    publish("unknown", "key", false);
    together(31, first);
    first.close();
    SteppedRelay second = oldVersion("second");
    together(5, second);
    StoreAssert.assertThat(database.rows()).hasDeadLetters(0);
    together(26, second);

    assertThat(database.rows().dead())
        .singleElement()
        .satisfies(dead -> assertThat(dead.error()).contains("\"unknown\" for PT40S"));
  }
}
