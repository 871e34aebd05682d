/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.RetryPolicy;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lanes that are too many to be remembered, and handlers that are put aside. */
class BacklogTest {
  private final Scene scene = new Scene(1);
  private final Set<String> failing = new HashSet<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  private SteppedRelay relay(int window, int settleBatch) {
    return relay("a", window, settleBatch);
  }

  private SteppedRelay relay(String name, int window, int settleBatch) {
    return scene.relay(
        name,
        builder ->
            builder
                .relay(
                    options ->
                        options
                            .windowMessages(window)
                            .settleBatch(settleBatch)
                            .retry(RetryPolicy.fixed(Duration.ofSeconds(30), 10)))
                .handler(
                    "mailer",
                    "t",
                    String.class,
                    (payload, delivery) -> {
                      if (failing.contains(delivery.key())) {
                        throw new IllegalStateException("no answer");
                      }
                    })
                .handler(
                    HandlerSpec.of("ledger", "t", String.class, (payload, delivery) -> {})
                        .alsoType("u")));
  }

  @Test
  void aMessageDoesNotOvertakeOthersThatAreOnTheirWayToTheTable() {
    SteppedRelay relay = relay(8, 4);
    relay.posthorn().admin().fleet().pauseHandler("mailer");
    relay.drain();
    for (int i = 0; i < 4; i++) {
      relay.publish(message("u", "other", "u" + i));
    }
    for (int i = 0; i < 4; i++) {
      relay.publish(message("t", "k", "t" + i));
    }
    relay.steps().step("read"); // the window is full; the ledger has all
    relay.steps().step("read"); // what the mailer has is put aside, but not stored yet
    relay.steps().step("settle"); // stores what the ledger alone has got
    relay.posthorn().admin().fleet().resumeHandler("mailer");
    relay.steps().step("lease");
    relay.steps().step("read"); // the backlog is read: there is nothing in it yet

    relay.publish(message("t", "k", "next"));
    relay.steps().step("read");
    relay.drain();

    assertThat(relay.log().deliveredSeqs("mailer", "k")).containsExactly(5L, 6L, 7L, 8L, 9L);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void manyFailingLanesAreNotRememberedOneByOne() {
    int keys = 4_000;
    SteppedRelay relay = relay(100, 1_000);
    for (int i = 0; i < keys; i++) {
      failing.add("k" + i);
      relay.publish(message("t", "k" + i, "first"));
    }
    relay.drain();
    for (int i = 0; i < keys; i++) {
      relay.publish(message("t", "k" + i, "second"));
    }
    relay.pass(Duration.ofSeconds(5));
    assertThat(relay.posthorn().relay().status().lanesInMemory()).isLessThanOrEqualTo(2 * 100);
    assertThat(scene.rows().ready()).isEmpty();

    failing.clear();
    relay.pass(Duration.ofSeconds(40));

    for (int i = 0; i < keys; i++) {
      assertThat(relay.log().deliveredSeqs("mailer", "k" + i)).isSorted().hasSize(2);
    }
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void oneFailingLaneAmongABacklogHoldsItselfOnly() {
    SteppedRelay relay = relay(20, 1_000);
    relay.posthorn().admin().fleet().pauseHandler("mailer");
    relay.drain();
    for (int i = 0; i < 200; i++) {
      relay.publish(message("t", "k" + i % 10, Integer.toString(i)));
    }
    relay.pass(Duration.ofSeconds(3));
    failing.add("k3");
    relay.posthorn().admin().fleet().resumeHandler("mailer");

    relay.pass(Duration.ofSeconds(5));

    for (int key = 0; key < 10; key++) {
      assertThat(relay.log().deliveredSeqs("mailer", "k" + key))
          .isSorted()
          .hasSize(key == 3 ? 0 : 20);
    }
    failing.clear();
    relay.pass(Duration.ofSeconds(40));
    assertThat(relay.log().deliveredSeqs("mailer", "k3")).isSorted().hasSize(20);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aRelayThatStartsBesideBlockedLanesDoesNotPutTheOthersAside() {
    SteppedRelay first = relay(1_000, 1_000);
    for (int i = 0; i < 400; i++) {
      failing.add("blocked" + i);
      first.publish(message("t", "blocked" + i, "first"));
    }
    first.drain();
    first.close();
    SteppedRelay second = relay("b", 100, 1_000); // it takes several reads to see them all
    for (int i = 0; i < 50; i++) {
      second.publish(message("t", "free" + i, "only"));
    }

    second.steps().step("lease");
    for (int i = 0; i < 20; i++) {
      second.steps().step("read");
      second.steps().step("settle");
      assertThat(scene.rows().deferred())
          .noneMatch(row -> String.valueOf(row.key()).startsWith("free"));
    }
    assertThat(scene.rows().ready()).isEmpty();
    for (int i = 0; i < 50; i++) {
      assertThat(second.log().deliveredSeqs("mailer", "free" + i)).hasSize(1);
    }
  }
}
