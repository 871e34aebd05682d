/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.AdminAction;
import io.posthorn.Delivery;
import io.posthorn.DestinationDownException;
import io.posthorn.Posthorn;
import io.posthorn.RefusedException;
import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Listeners learn of failures, of partitions whose owner died, and of what people do. */
class ListenerTest {
  private final Scene scene = new Scene(4);
  private final List<String> told = new ArrayList<>();
  private Exception failure = new IllegalStateException("no route");

  private final class Listening implements RelayListener {
    private final String name;

    Listening(String name) {
      this.name = name;
    }

    @Override
    public void failed(Delivery delivery, Throwable cause) {
      told.add("%s failed %s %s".formatted(name, delivery.key(), cause.getMessage()));
    }

    @Override
    public void recovered(int partition, RelayIdentity from) {
      told.add("%s recovered %d from %s".formatted(name, partition, from.id()));
    }

    @Override
    public void byHand(AdminAction.Kind action, Collection<EntryId> entries) {
      told.add("%s %s %d".formatted(name, action, entries.size()));
    }
  }

  @AfterEach
  void stop() {
    scene.close();
  }

  private SteppedRelay relay(String name) {
    return relay(name, new Listening(name));
  }

  private SteppedRelay relay(String name, RelayListener listener) {
    return scene.relay(
        name,
        builder ->
            builder
                .listener(listener)
                .handler(
                    "mailer",
                    "t",
                    String.class,
                    (payload, delivery) -> {
                      throw failure;
                    }));
  }

  @Test
  void eachFailureIsTold() {
    SteppedRelay relay = relay("a");
    relay.publish(message("t", "k", "x"));
    relay.drain();
    relay.pass(Duration.ofSeconds(1));

    assertThat(told).containsExactly("a failed k no route", "a failed k no route");
  }

  @Test
  void aFailureThatCountsNoAttemptIsToldToo() {
    failure = new DestinationDownException("away", null);
    SteppedRelay relay = relay("a");
    relay.publish(message("t", "k", "x"));
    relay.drain();

    assertThat(told).containsExactly("a failed k away");
    assertThat(relay.posthorn().status().orElseThrow().handlers())
        .hasEntrySatisfying(
            "mailer",
            mailer -> {
              assertThat(mailer.circuitOpen()).isTrue();
              assertThat(mailer.paused()).isFalse();
              assertThat(mailer.blockedLanes()).isZero();
              assertThat(mailer.inMemory()).isEqualTo(1);
              assertThat(mailer.throughput().failed()).isEqualTo(1);
            });
  }

  /** So who waits for that, and asks the listener, gets the whole answer. */
  @Test
  void aDeadLetterIsToldBeforeTheRelayIsIdle() {
    AtomicReference<Posthorn> posthorn = new AtomicReference<>();
    List<Integer> inMemory = new ArrayList<>();
    RelayListener counting =
        new RelayListener() {
          @Override
          public void dead(StoredMessage message, String handler, Fate.Dead fate) {
            inMemory.add(posthorn.get().status().orElseThrow().inMemory());
          }

          @Override
          public void settled(int outcomes) {
            inMemory.add(posthorn.get().status().orElseThrow().inMemory());
          }
        };
    failure = new RefusedException("never", null);
    SteppedRelay relay = relay("a", counting);
    posthorn.set(relay.posthorn());
    relay.publish(message("t", "k", "x"));

    relay.drain();

    assertThat(inMemory).containsExactly(1, 1);
    assertThat(relay.posthorn().status().orElseThrow().inMemory()).isZero();
  }

  @Test
  void onlyPartitionsOfAnOwnerThatDiedAreRecovered() {
    relay("a").close();
    SteppedRelay dying = relay("b");
    dying.drain();
    assertThat(dying.posthorn().status().orElseThrow().epochs()).hasSize(4);
    assertThat(told).isEmpty();

    scene.clock().advance(Duration.ofSeconds(31));
    relay("c").drain();

    assertThat(told)
        .containsExactlyInAnyOrder(
            "c recovered 0 from b",
            "c recovered 1 from b",
            "c recovered 2 from b",
            "c recovered 3 from b");
  }

  @Test
  void theStatusTellsOfBlockedLanesAndPausesByHandler() {
    SteppedRelay relay = relay("a");
    relay.publish(message("t", "k", "x"), message("t", "l", "x"));
    relay.drain();
    relay.posthorn().admin().fleet().pauseHandler("mailer");
    relay.pass(Duration.ofSeconds(1));

    assertThat(relay.posthorn().status().orElseThrow().handlers())
        .hasEntrySatisfying(
            "mailer",
            mailer -> {
              assertThat(mailer.circuitOpen()).isFalse();
              assertThat(mailer.paused()).isTrue();
              assertThat(mailer.blockedLanes()).isEqualTo(2);
            });
    relay.close();
    assertThat(relay.posthorn().status()).isEmpty();
  }

  @Test
  void whatPeopleDoIsToldWhereTheyDoIt() {
    SteppedRelay relay = relay("a");
    relay.publish(message("t", "k", "x"), message("t", "k", "y"), message("t", "l", "z"));
    relay.drain();
    told.clear();
    try (Posthorn publisher =
        Posthorn.publishOnly(scene.store(), scene.transactions())
            .listener(new Listening("desk"))
            .build()) {
      Admin admin = publisher.admin();
      admin.lanes().skipHead("mailer", "k");
      admin.lanes().skipHead("mailer", "nobody");
      admin
          .deferred()
          .cancel(
              admin.deferred().page(Filter.all(), null, 9).items().stream()
                  .map(Admin.Entry::id)
                  .toList());
      admin.deadLetters().retryAll(Filter.all());
      admin.deadLetters().retryAll(Filter.all()); // there is none left
    }
    assertThat(told).containsExactly("desk SKIP 1", "desk CANCEL 2", "desk RETRY 1");
  }
}
