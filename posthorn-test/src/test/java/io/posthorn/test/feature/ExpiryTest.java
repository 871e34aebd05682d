/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.spi.MessageStore;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.fault.FaultyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExpiryTest {
  private final Scene scene = new Scene(1);
  private final List<Delivery> got = new ArrayList<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  private SteppedRelay relay() {
    return relay(scene.store());
  }

  private SteppedRelay relay(MessageStore store) {
    return scene.relay(
        "a",
        store,
        builder ->
            builder.handler(
                "mailer",
                "t",
                String.class,
                (payload, delivery) -> {
                  got.add(delivery);
                  if (payload != null && payload.equals("fail")) {
                    throw new IllegalStateException("no");
                  }
                }));
  }

  private Message expiring(String payload) {
    return Message.of("t")
        .key("k")
        .payload(payload)
        .expiresAt(scene.clock().instant().plusSeconds(10))
        .build();
  }

  @Test
  void aMessageIsDeliveredUntilItExpires() {
    SteppedRelay relay = relay();
    relay.publish(expiring("1"));
    scene.clock().advance(Duration.ofMillis(9_999));

    relay.drain();

    assertThat(got).hasSize(1);
    assertThat(relay.log().expired()).isEmpty();
  }

  @Test
  void anExpiredMessageIsToldToListenersInsteadOfDelivered() {
    SteppedRelay relay = relay();
    UUID id = relay.publish(expiring("1")).get(0);
    scene.clock().advance(Duration.ofSeconds(10));

    relay.drain();

    assertThat(got).isEmpty();
    assertThat(relay.log().delivered()).isEmpty();
    assertThat(relay.log().expired())
        .extracting(message -> message.envelope().id())
        .containsExactly(id);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aMessageThatExpiresWhileItIsRetriedIsDroppedAndItsLaneGoesOn() {
    SteppedRelay relay = relay();
    relay.publish(expiring("fail"), Message.of("t").key("k").payload("next").build());
    relay.drain();
    assertThat(got).hasSize(1);

    scene.clock().advance(Duration.ofSeconds(10));
    relay.drain();

    assertThat(relay.log().expired()).hasSize(1);
    assertThat(relay.log().delivered()).hasSize(1);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aMessageThatExpiresInMemoryBehindASlowOneIsDropped() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder.handler(
                    "mailer",
                    "t",
                    String.class,
                    (payload, delivery) -> {
                      got.add(delivery);
                      if (payload.equals("slow")) {
                        scene.clock().advance(Duration.ofSeconds(10));
                      }
                    }));
    relay.publish(
        Message.of("t").key("k").payload("slow").build(),
        expiring("expires meanwhile"),
        Message.of("t").key("k").payload("next").build());

    relay.drain();

    assertThat(got).hasSize(2);
    assertThat(relay.log().expired()).hasSize(1);
    assertThat(relay.log().delivered()).hasSize(2);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aBatchHandlerDoesNotSeeWhatExpiresInMemoryBehindASlowBatch() {
    List<Integer> sizes = new ArrayList<>();
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder.handler(
                    HandlerSpec.batch(
                        "sender",
                        "t",
                        String.class,
                        2,
                        batch -> {
                          sizes.add(batch.items().size());
                          scene.clock().advance(Duration.ofSeconds(10));
                        })));
    relay.publish(expiring("1"), expiring("2"), expiring("3"), Message.of("t").key("k").build());

    relay.drain();

    assertThat(sizes).containsExactly(2, 1);
    assertThat(relay.log().expired()).hasSize(1);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aBatchHandlerDoesNotSeeExpiredMessages() {
    List<Integer> sizes = new ArrayList<>();
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder.handler(
                    HandlerSpec.batch(
                        "sender",
                        "t",
                        String.class,
                        10,
                        batch -> sizes.add(batch.items().size()))));
    relay.publish(expiring("1"), Message.of("t").key("k").build());
    scene.clock().advance(Duration.ofSeconds(10));

    relay.drain();

    assertThat(sizes).containsExactly(1);
    assertThat(relay.log().expired()).hasSize(1);
  }

  @Test
  void aTombstoneIsDeliveredAsNull() {
    List<Boolean> nulls = new ArrayList<>();
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder.handler(
                    "mailer",
                    "t",
                    Integer.class, // needs no codec: there is nothing to decode
                    (payload, delivery) -> nulls.add(payload == null)));
    relay.publish(Message.of("t").key("k").build());

    relay.drain();

    assertThat(nulls).containsExactly(true);
  }

  /** The network holds the answer of a read back. */
  @Test
  void aMessageThatExpiresOnItsWayFromTheDatabaseIsDropped() { // issue 19
    FaultyStore store = new FaultyStore(scene.store());
    SteppedRelay relay = relay(store);
    relay.publish(expiring("late"), Message.of("t").key("k").payload("next").build());
    store.after(FaultyStore.Step.READ, () -> scene.clock().advance(Duration.ofSeconds(11)));

    relay.drain();

    assertThat(relay.log().expired()).hasSize(1);
    assertThat(relay.log().delivered()).hasSize(1);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  /** The network holds a read back on its way to the database. */
  @Test
  void aMessageThatIsReadSlowlyBeforeItExpiresIsDelivered() { // issue 19
    FaultyStore store = new FaultyStore(scene.store());
    SteppedRelay relay = relay(store);
    relay.publish(expiring("in time"), Message.of("t").key("k").payload("next").build());
    store.before(FaultyStore.Step.READ, () -> scene.clock().advance(Duration.ofSeconds(6)));

    relay.drain();

    assertThat(relay.log().expired()).isEmpty();
    assertThat(relay.log().delivered()).hasSize(2);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aBatchHandlerGetsWhatIsBehindAMessageThatIsReadAgainAfterIt() { // issue 19
    assertThat(receivedInBatchesAfterASlowRead(expiring("first"), lasting("second")))
        .containsExactly("first", "second");
  }

  @Test
  void aBatchHandlerGetsWhatIsBeforeAMessageThatIsReadAgainOnce() { // issue 19
    assertThat(
            receivedInBatchesAfterASlowRead(
                lasting("first"), lasting("second"), expiring("third"), lasting("fourth")))
        .containsExactly("first", "second", "third", "fourth");
  }

  private static Message lasting(String payload) {
    return Message.of("t").key("k").payload(payload).build();
  }

  private List<String> receivedInBatchesAfterASlowRead(Message... messages) {
    FaultyStore store = new FaultyStore(scene.store());
    List<String> received = new ArrayList<>();
    SteppedRelay relay =
        scene.relay(
            "a",
            store,
            builder ->
                builder.handler(
                    HandlerSpec.batch(
                            "sender",
                            "t",
                            String.class,
                            4,
                            batch -> batch.items().forEach(item -> received.add(item.payload())))
                        .batchPerKey(4)));
    relay.publish(messages);
    store.before(FaultyStore.Step.READ, () -> scene.clock().advance(Duration.ofSeconds(6)));

    relay.drain();

    StoreAssert.assertThat(scene.rows()).hasNoMessages();
    return received;
  }
}
