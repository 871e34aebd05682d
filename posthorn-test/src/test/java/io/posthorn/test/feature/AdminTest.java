/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.posthorn.Admin;
import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.Page;
import io.posthorn.Delivery;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.DeferReason;
import io.posthorn.test.StoreAssert;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AdminTest {
  private final Scene scene = new Scene(4);
  private final List<Delivery> got = new ArrayList<>();
  private boolean failing = true;

  private SteppedRelay relay(String name, Consumer<Posthorn.Builder> more) {
    return scene.relay(
        name,
        builder -> {
          builder
              .relay(
                  r ->
                      r.retry(
                          RetryPolicy.exponential(Duration.ofSeconds(1), Duration.ofSeconds(1), 1)))
              .handler("mailer", "t", String.class, this::handle);
          more.accept(builder);
        });
  }

  private void handle(String payload, Delivery delivery) {
    if (failing) {
      throw new IllegalStateException("no route to " + payload);
    }
    got.add(delivery);
  }

  @AfterEach
  void stop() {
    scene.close();
  }

  /** A relay that has buried this many messages. */
  private Admin buried(SteppedRelay relay, int count) {
    IntStream.rangeClosed(1, count)
        .forEach(i -> relay.publish(message("t", i % 2 == 0 ? "k" : null, "m" + i)));
    relay.drain();
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(count);
    return relay.posthorn().admin();
  }

  private static List<EntryId> ids(Admin admin) {
    return admin.deadLetters().page(Filter.all(), null, 1_000).items().stream()
        .map(DeadLetter::id)
        .toList();
  }

  @Test
  void aRetriedDeadLetterIsDelivered() {
    SteppedRelay relay = relay("a", any -> {});
    Admin admin = buried(relay, 2);
    failing = false;

    assertThat(admin.deadLetters().retry(ids(admin))).isEqualTo(2);
    relay.pass(Duration.ofSeconds(1));

    assertThat(got).extracting(Delivery::attempt).containsExactly(1, 1);
    assertThat(got.get(0).lastError()).contains("no route to");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void pagesLinkToTheNextUntilTheLast() {
    Admin admin = buried(relay("a", any -> {}), 5);

    Page<DeadLetter> first = admin.deadLetters().page(Filter.all(), null, 2);
    Page<DeadLetter> second = admin.deadLetters().page(Filter.all(), first.cursor(), 2);
    Page<DeadLetter> third = admin.deadLetters().page(Filter.all(), second.cursor(), 2);

    assertThat(third.items()).hasSize(1);
    assertThat(third.cursor()).isNull();
    assertThat(List.of(first, second, third))
        .flatExtracting(Page::items)
        .extracting(DeadLetter::id)
        .containsExactlyElementsOf(ids(admin));
    assertThat(admin.deadLetters().page(Filter.all(), null, 5).cursor())
        .as("exactly full")
        .isNull();
    assertThat(admin.deadLetters().count(Filter.all().errorContains("m3")).entries()).isEqualTo(1);
  }

  @Test
  void aCursorOfSomethingElseIsRefused() {
    Admin admin = buried(relay("a", any -> {}), 2);
    String good = admin.deadLetters().page(Filter.all(), null, 1).cursor();

    for (String bad :
        List.of(
            "",
            "x",
            "%%%",
            good.substring(1),
            Base64.getEncoder()
                .encodeToString("1 2 - ".getBytes(StandardCharsets.UTF_8))
                .substring(2))) {
      assertThatThrownBy(() -> admin.deadLetters().page(Filter.all(), bad, 10))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("cursor was \"" + bad + "\"");
    }
    assertThatThrownBy(() -> admin.history().page(Filter.all(), good, 10))
        .as("a cursor of another list")
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aPageHasOneToAThousandEntries() {
    Admin admin = relay("a", any -> {}).posthorn().admin();

    for (int limit : new int[] {-1, 0, 1_001}) {
      assertThatThrownBy(() -> admin.deadLetters().page(Filter.all(), null, limit))
          .hasMessage("limit was %d but must be between 1 and 1000".formatted(limit));
    }
    assertThat(admin.deadLetters().page(Filter.all(), null, 1_000).items()).isEmpty();
  }

  @Test
  void aFilterThatCannotHoldIsRefused() {
    Admin admin = relay("a", any -> {}).posthorn().admin();
    Filter held = Filter.all().reason(DeferReason.HELD);

    assertThatThrownBy(() -> admin.deadLetters().count(held).entries())
        .hasMessageContaining("reason was HELD");
    assertThatThrownBy(() -> admin.deadLetters().retryAll(held))
        .hasMessageContaining("reason was HELD");
    assertThatThrownBy(() -> admin.history().count(held).entries())
        .hasMessageContaining("reason was HELD");
    assertThatThrownBy(() -> admin.history().replayAll(Filter.all().errorContains("x")))
        .hasMessageContaining("errorContains");
    assertThat(admin.deferred().count(held).entries()).isZero();
  }

  @Test
  void moreThanABatchIsDoneInSeveral() {
    SteppedRelay relay = relay("a", any -> {});
    Admin admin = buried(relay, 1_200);

    assertThat(admin.deadLetters().retryAll(Filter.all().type("other"))).isZero();
    assertThat(admin.deadLetters().retryAll(Filter.all().type("t"))).isEqualTo(1_200);
    assertThat(admin.deadLetters().retryAll(Filter.all())).isZero();

    assertThat(admin.deferred().count(Filter.all().reason(DeferReason.RETRYING)).entries())
        .isEqualTo(1_200);
  }

  @Test
  void aLetterThatDiesAgainMeanwhileIsNotRetriedAgain() {
    List<Runnable> meanwhile = new ArrayList<>();
    StoreWithInterruptions store = new StoreWithInterruptions(scene.store(), meanwhile);
    SteppedRelay relay =
        scene.relay(
            "a",
            store.wrapped(),
            builder ->
                builder
                    .relay(
                        r ->
                            r.retry(
                                RetryPolicy.exponential(
                                    Duration.ofSeconds(1), Duration.ofSeconds(1), 1)))
                    .handler("mailer", "t", String.class, this::handle));
    Admin admin = buried(relay, 700);
    meanwhile.add(
        () -> {
          relay.publish(message("t", null, "new"));
          relay.pass(Duration.ofSeconds(1));
        });

    assertThat(admin.deadLetters().retryAll(Filter.all())).isEqualTo(700);

    assertThat(store.interruptions()).isEqualTo(2);
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(702);
  }

  @Test
  void headersThatPublishingWouldRefuseAreRefused() {
    Admin admin = buried(relay("a", any -> {}), 1);
    EntryId id = ids(admin).get(0);

    for (Map<String, String> bad :
        List.of(
            Map.of("", "x"),
            Map.of("x".repeat(256), "x"),
            Map.of("x", "nul \0"),
            Map.of("x", "half \ud800"),
            Map.of("x", "x".repeat(32_001)))) {
      assertThatThrownBy(() -> admin.deadLetters().setHeaders(id, bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("Headers not changed: ");
    }
    assertThat(admin.deadLetters().setHeaders(id, Map.of("x", "x".repeat(31_999)))).isTrue();
  }

  @Test
  void aProcessThatOnlyPublishesCanSteerBeforeItsStart() {
    SteppedRelay relay = relay("a", any -> {});
    buried(relay, 1);
    failing = false;
    try (Posthorn publisher = Posthorn.publishOnly(scene.store(), scene.transactions()).build()) {
      assertThat(publisher.admin().deadLetters().retryAll(Filter.all())).isEqualTo(1);
    }
    relay.pass(Duration.ofSeconds(1));
    assertThat(got).hasSize(1);
  }

  @Test
  void aResolvedLetterIsKeptAndADeletedOneIsNot() {
    SteppedRelay keeping = relay("a", b -> b.relay(r -> r.retention(Duration.ofDays(1))));
    Admin admin = buried(keeping, 2);
    List<EntryId> ids = ids(admin);

    assertThat(admin.deadLetters().resolve(ids.subList(0, 1))).isEqualTo(1);
    assertThat(admin.deadLetters().delete(ids.subList(1, 2))).isEqualTo(1);
    assertThat(admin.history().page(Filter.all(), null, 10).items())
        .extracting(Admin.HistoryEntry::id)
        .containsExactly(ids.get(0));
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aLetterResolvedByAProcessThatOnlyPublishesIsKept() {
    Admin admin = buried(relay("a", b -> b.relay(r -> r.retention(Duration.ofDays(1)))), 1);
    EntryId id = ids(admin).get(0);

    try (Posthorn publisher = Posthorn.publishOnly(scene.store(), scene.transactions()).build()) {
      Admin anna = publisher.admin().as("anna", "sent by post");
      assertThat(anna.deadLetters().resolve(List.of(id))).isEqualTo(1);
    }

    assertThat(admin.history().page(Filter.all(), null, 10).items())
        .extracting(Admin.HistoryEntry::id, Admin.HistoryEntry::resolution)
        .containsExactly(tuple(id, new Admin.Resolution("anna", "sent by post")));
    assertThat(admin.history().reopen(List.of(id))).isEqualTo(1);
  }

  @Test
  void withoutRetentionAResolvedLetterIsKeptForAWeek() {
    SteppedRelay relay = relay("a", any -> {});
    Admin admin = buried(relay, 1);
    admin.deadLetters().resolve(ids(admin));

    scene.clock().advance(Duration.ofDays(6));
    relay.pass(Duration.ofMinutes(1));
    assertThat(admin.history().count(Filter.all()).entries()).isEqualTo(1);

    scene.clock().advance(Duration.ofDays(1));
    relay.pass(Duration.ofMinutes(1));
    assertThat(admin.history().count(Filter.all()).entries()).isZero();
  }

  @Test
  void historyIsKeptForDeliveriesButNotForExpiredMessages() {
    failing = false;
    SteppedRelay relay =
        relay(
            "a",
            b ->
                b.relay(r -> r.retention(Duration.ofDays(1)))
                    .handler("audit", "t", String.class, (payload, delivery) -> {}));
    relay.publish(message("t", "k", "1"));
    relay.publish(
        io.posthorn.Message.of("t").payload("2").expiresAt(scene.clock().instant()).build());
    relay.drain();

    assertThat(relay.log().expired()).hasSize(2);
    assertThat(relay.posthorn().admin().history().page(Filter.all(), null, 10).items())
        .extracting(entry -> entry.handler() + " " + entry.key())
        .containsExactlyInAnyOrder("audit k", "mailer k");
  }

  @Test
  void withoutRetentionNothingIsKept() {
    failing = false;
    SteppedRelay relay = relay("a", any -> {});
    relay.publish(message("t", "k", "1"));
    relay.drain();

    assertThat(got).hasSize(1);
    assertThat(relay.posthorn().admin().history().count(Filter.all()).entries()).isZero();
  }

  @Test
  void allOfTheHistoryThatMatchesIsReplayedOnce() {
    failing = false;
    SteppedRelay relay = relay("a", b -> b.relay(r -> r.retention(Duration.ofDays(1))));
    IntStream.range(0, 600).forEach(i -> relay.publish(message("t", i % 3 == 0 ? "k" : null, "x")));
    relay.drain();
    Admin admin = relay.posthorn().admin();

    assertThat(admin.history().replayAll(Filter.all())).isEqualTo(600);
    relay.pass(Duration.ofSeconds(3));
    assertThat(got).hasSize(1_200);
    scene.clock().advance(Duration.ofMillis(1));
    assertThat(admin.history().count(Filter.all()).entries()).isEqualTo(1_200);
    assertThat(admin.history().replayAll(Filter.all())).as("each message once").isEqualTo(600);
  }

  @Test
  void aPauseOfAHandlerThatNobodyHasIsAcceptedAndAPartitionOutOfRangeIsNot() {
    Admin admin = relay("a", any -> {}).posthorn().admin();

    assertThat(admin.fleet().pauseHandler("of-the-next-version")).isTrue();
    assertThat(admin.fleet().pauseHandler("of-the-next-version")).isFalse();
    assertThat(admin.fleet().pausePartition(3)).isTrue();
    assertThat(admin.fleet().pauses())
        .extracting(pause -> pause.name())
        .containsExactly("of-the-next-version", "3");
    assertThat(admin.fleet().resumeHandler("of-the-next-version")).isTrue();
    assertThat(admin.fleet().resumePartition(3)).isTrue();
    assertThat(admin.fleet().resumePartition(3)).isFalse();
    for (int partition : Set.of(-1, 4)) {
      assertThatThrownBy(() -> admin.fleet().pausePartition(partition))
          .hasMessage("partition was %d but must be between 0 and 3".formatted(partition));
    }
    assertThatThrownBy(() -> admin.fleet().pauseHandler(" "))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> admin.fleet().pauseHandler(null)).hasMessage("name");
  }
}
