/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.DestinationDownException;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.test.DeliveryLog;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Handlers of one type neither wait for each other nor repeat because of each other. */
class SeveralHandlersTest {
  private final Scene scene = new Scene(1);
  private final Set<String> broken = new HashSet<>();
  private final Set<String> down = new HashSet<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  private SteppedRelay relay(String name) {
    return scene.relay(
        name,
        builder ->
            Stream.of("audit", "ledger", "mailer")
                .forEach(
                    handler ->
                        builder.handler(
                            HandlerSpec.of(
                                handler,
                                "t",
                                String.class,
                                (payload, delivery) -> {
                                  if (down.contains(handler)) {
                                    throw new DestinationDownException("away", null);
                                  }
                                  if (broken.contains(handler)) {
                                    throw new IllegalStateException("broken");
                                  }
                                }))));
  }

  private static Message[] three() {
    return new Message[] {
      message("t", "k", "1"), message("t", "k", "2"), Message.of("t").payload("3").build()
    };
  }

  private static List<UUID> delivered(DeliveryLog log, String handler) {
    return log.delivered().stream()
        .filter(delivery -> delivery.handler().equals(handler))
        .map(Delivery::messageId)
        .toList();
  }

  private List<String> deferredHandlers() {
    return scene.rows().deferred().stream().map(StoredRows.Deferred::handler).distinct().toList();
  }

  @Test
  void oneFailsAndTheOthersGoOn() {
    broken.add("ledger");
    SteppedRelay relay = relay("a");
    List<UUID> ids = relay.publish(three());

    relay.drain();

    assertThat(delivered(relay.log(), "audit")).containsExactlyElementsOf(ids);
    assertThat(delivered(relay.log(), "mailer")).containsExactlyElementsOf(ids);
    assertThat(deferredHandlers()).containsExactly("ledger");
    assertThat(scene.rows().ready()).isEmpty();
    broken.clear();
    relay.pass(Duration.ofSeconds(2));
    assertThat(delivered(relay.log(), "ledger")).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(relay.log().delivered()).as("nobody repeats").hasSize(9);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void twoFailAndEachRetriesByItself() {
    broken.addAll(List.of("audit", "mailer"));
    SteppedRelay relay = relay("a");
    relay.publish(three());
    relay.drain();
    assertThat(deferredHandlers()).containsExactlyInAnyOrder("audit", "mailer");
    broken.remove("audit");

    relay.pass(Duration.ofSeconds(2));

    assertThat(delivered(relay.log(), "audit")).hasSize(3);
    assertThat(delivered(relay.log(), "mailer")).isEmpty();
    assertThat(deferredHandlers()).containsExactly("mailer");
  }

  @Test
  void oneHasAnOpenCircuitAndTheMessageIsSplitWhenItIsLate() {
    down.add("ledger");
    SteppedRelay relay = relay("a");
    List<UUID> ids = relay.publish(three());
    relay.drain();
    assertThat(scene.rows().ready()).as("not late yet").hasSize(3);

    relay.pass(Duration.ofSeconds(6));

    assertThat(scene.rows().ready()).isEmpty();
    assertThat(deferredHandlers()).containsExactly("ledger");
    down.clear();
    relay.pass(Duration.ofSeconds(3));
    assertThat(delivered(relay.log(), "ledger")).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(relay.log().delivered()).hasSize(9).allMatch(delivery -> delivery.attempt() == 1);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aHandOverWithAnOpenCircuitSplitsWhatOthersAreDoneWith() {
    down.add("ledger");
    SteppedRelay first = relay("a");
    List<UUID> ids = first.publish(three());
    first.drain();

    first.posthorn().stop(Duration.ofSeconds(1));

    assertThat(scene.rows().ready()).isEmpty();
    assertThat(deferredHandlers()).containsExactly("ledger");
    down.clear();
    SteppedRelay second = relay("b");
    second.drain();
    second.pass(Duration.ofSeconds(2));
    assertThat(second.log().delivered()).extracting(Delivery::handler).containsOnly("ledger");
    assertThat(delivered(second.log(), "ledger")).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  void aCrashRepeatsOnlyWhatWasNotSettled() {
    broken.add("ledger");
    SteppedRelay first = relay("a");
    first.publish(message("t", "k", "1"));
    first.drain(); // settled: audit and mailer are done, ledger retries
    first.publish(message("t", "k", "2"));
    first.steps().step("read"); // delivered to audit and mailer, but not settled: it dies here
    int before = first.log().delivered().size();
    scene.clock().advance(Duration.ofSeconds(40));
    broken.clear();
    SteppedRelay second = relay("b");

    second.drain();
    second.pass(Duration.ofSeconds(2));

    assertThat(before).isEqualTo(4);
    assertThat(second.log().delivered())
        .filteredOn(delivery -> !delivery.handler().equals("ledger"))
        .extracting(delivery -> delivery.message().seq())
        .containsExactly(2L, 2L);
    assertThat(second.log().deliveredSeqs("ledger", "k")).containsExactly(1L, 2L);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void deadForOneIsDeliveredToTheOthers() {
    broken.add("ledger");
    SteppedRelay relay = relay("a");
    List<UUID> ids = new ArrayList<>(relay.publish(message("t", "k", "1")));

    relay.drain();
    relay.pass(Duration.ofSeconds(30));

    assertThat(delivered(relay.log(), "audit")).containsExactlyElementsOf(ids);
    assertThat(delivered(relay.log(), "mailer")).containsExactlyElementsOf(ids);
    assertThat(scene.rows().dead()).extracting(StoredRows.Dead::handler).containsExactly("ledger");
  }
}
