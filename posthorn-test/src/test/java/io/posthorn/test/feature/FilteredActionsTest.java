/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.ActionRun;
import io.posthorn.Admin;
import io.posthorn.Admin.Count;
import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.Entry;
import io.posthorn.Admin.Filter;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Kind;
import io.posthorn.AdminAction.State;
import io.posthorn.DeadLetters.HeaderEdit;
import io.posthorn.MessageHeaders;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.DeferReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Skip, reopen and edit headers of all that match; count all that match. */
class FilteredActionsTest {
  private final Scene scene = new Scene(4);
  private final List<Map<String, String>> got = new ArrayList<>();
  private int attempts = 1;
  private boolean failing = true;

  private SteppedRelay relay() {
    return scene.relay(
        "a",
        builder ->
            builder
                .relay(
                    r ->
                        r.retention(Duration.ofDays(1))
                            .retry(
                                RetryPolicy.exponential(
                                    Duration.ofHours(1), Duration.ofHours(1), attempts)))
                .handler(
                    "mailer",
                    "t",
                    String.class,
                    (payload, delivery) -> {
                      if (failing) {
                        throw new IllegalStateException("no route to " + payload);
                      }
                      got.add(delivery.headers());
                    }));
  }

  @AfterEach
  void stop() {
    scene.close();
  }

  private static Admin published(SteppedRelay relay, int count) {
    IntStream.range(0, count).forEach(i -> relay.publish(message("t", "k" + i, "m" + i)));
    relay.drain();
    return relay.posthorn().admin().as("anna", null);
  }

  private static List<DeadLetter> letters(Admin admin) {
    return admin.deadLetters().page(Filter.all(), null, 1_000).items();
  }

  // --- skip

  @Test
  void whatIsGivenUpByFilterIsADeadLetterAndCanBeRetried() {
    attempts = 10;
    SteppedRelay relay = relay();
    Admin admin = published(relay, 1_200);
    Filter retrying = Filter.all().reason(DeferReason.RETRYING).errorContains("no route");
    List<Long> progress = new ArrayList<>();

    AdminAction action =
        admin
            .deferred()
            .skipAll(retrying, ActionRun.once().whileTrue(done -> progress.add(done.entries())));

    assertThat(action.kind()).isEqualTo(Kind.SKIP);
    assertThat(action.entries()).isEqualTo(1_200);
    assertThat(progress).containsExactly(500L, 1_000L);
    assertThat(admin.deferred().count(Filter.all()).entries()).isZero();
    assertThat(letters(admin)).allMatch(letter -> letter.error().contains("no route to m"));
    failing = false;
    assertThat(admin.deadLetters().retryAll(Filter.all())).isEqualTo(1_200);
    relay.drain();
    assertThat(got).hasSize(1_200);
  }

  // --- reopen

  @Test
  void whatWasResolvedByMistakeIsReopened() {
    SteppedRelay relay = relay();
    Admin admin = published(relay, 3);
    List<DeadLetter> before = letters(admin);
    admin.deadLetters().resolveAll(Filter.all(), ActionRun.once());
    scene.clock().advance(Duration.ofSeconds(1));
    assertThat(letters(admin)).isEmpty();

    AdminAction action =
        admin.history().reopenAll(Filter.all().onlyResolved().key("k1"), ActionRun.once());

    assertThat(action.kind()).isEqualTo(Kind.REOPEN);
    assertThat(action.entries()).isEqualTo(1);
    assertThat(action.target()).isEqualTo("key = k1, resolved");
    assertThat(letters(admin))
        .singleElement()
        .satisfies(
            letter -> {
              assertThat(letter.id()).isEqualTo(before.get(1).id());
              assertThat(letter.error()).isEqualTo(before.get(1).error());
              assertThat(letter.attempts()).isEqualTo(before.get(1).attempts());
            });
    assertThat(admin.history().count(Filter.all().onlyResolved()).entries()).isEqualTo(2);
  }

  @Test
  void onlyTheHistoryIsAskedForResolvedOnes() {
    Admin admin = relay().posthorn().admin();
    Filter resolved = Filter.all().onlyResolved();

    assertThatThrownBy(() -> admin.deadLetters().page(resolved, null, 10))
        .hasMessageContaining("resolvedOnly was set");
    assertThatThrownBy(() -> admin.deferred().count(resolved))
        .hasMessageContaining("resolvedOnly was set");
    assertThatThrownBy(() -> admin.ready(resolved, null, 10))
        .hasMessageContaining("resolvedOnly was set");
    assertThat(admin.history().page(resolved, null, 10).items()).isEmpty();
  }

  // --- replay

  @Test
  void whatWasResolvedIsNotReplayedByFilter() {
    SteppedRelay relay = relay();
    Admin admin = published(relay, 2);
    DeadLetter resolved = letters(admin).get(0);
    admin.deadLetters().resolve(List.of(resolved.id()));
    failing = false;
    admin.deadLetters().retryAll(Filter.all());
    relay.pass(Duration.ofSeconds(1));
    assertThat(got).hasSize(1);

    assertThat(admin.history().replayAll(Filter.all())).isEqualTo(1);
    assertThatThrownBy(() -> admin.history().replayAll(Filter.all().onlyResolved()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("resolvedOnly was set");
    relay.pass(Duration.ofSeconds(1));
    assertThat(got).as("the delivered one").hasSize(2);

    assertThat(admin.history().replay(List.of(resolved.id()))).isEqualTo(1);
    relay.pass(Duration.ofSeconds(1));
    assertThat(got).hasSize(3);
  }

  // --- headers

  @Test
  void headersOfAllThatMatchAreEditedOnce() {
    SteppedRelay relay = relay();
    Admin admin = published(relay, 700);
    admin.deadLetters().setHeaders(letters(admin).get(0).id(), Map.of("old", "1", "kept", "2"));
    ActionRun run = ActionRun.of(UUID.randomUUID());
    HeaderEdit edit = new HeaderEdit(Map.of("region", "north"), Set.of("old"));

    AdminAction action =
        admin.deadLetters().editAllHeaders(Filter.all().handler("mailer"), edit, run);

    assertThat(action.kind()).isEqualTo(Kind.EDIT_HEADERS);
    assertThat(action.entries()).isEqualTo(700);
    assertThat(action.target())
        .matches("set region, remove old \\(content [0-9a-f]{12}\\) in handler = mailer");
    assertThat(admin.deadLetters().editAllHeaders(Filter.all().handler("mailer"), edit, run))
        .isEqualTo(action);
    assertThatThrownBy(
            () ->
                admin
                    .deadLetters()
                    .editAllHeaders(
                        Filter.all().handler("mailer"),
                        new HeaderEdit(Map.of("region", "south"), Set.of("old")),
                        run))
        .hasMessageContaining("take another id");
    failing = false;
    admin.deadLetters().retryAll(Filter.all());
    relay.drain();
    assertThat(got).hasSize(700).allMatch(headers -> headers.get("region").equals("north"));
    assertThat(got).contains(Map.of("region", "north", "kept", "2"));
  }

  @Test
  void anEditOfHeadersThatPublishingWouldRefuseIsRefused() {
    Admin admin = published(relay(), 1);
    List<Admin.EntryId> ids = List.of(letters(admin).get(0).id());

    assertThatThrownBy(
            () -> admin.deadLetters().editHeaders(ids, new HeaderEdit(Map.of(), Set.of())))
        .hasMessage("Headers not changed: none is to be set or removed");
    assertThatThrownBy(
            () -> admin.deadLetters().editHeaders(ids, new HeaderEdit(Map.of("", "x"), Set.of())))
        .hasMessageContaining("Headers not changed");
    assertThatThrownBy(
            () ->
                admin
                    .deadLetters()
                    .editHeaders(ids, new HeaderEdit(Map.of(), Set.of(MessageHeaders.EDITED))))
        .hasMessageContaining(MessageHeaders.EDITED);
    assertThat(admin.actions().page(null, 10).items()).isEmpty();
  }

  // --- count

  @Test
  void aCountThatIsNotWantedAnyMoreEnds() {
    Admin admin = published(relay(), 3);

    assertThat(admin.deadLetters().count(Filter.all(), any -> false)).isEqualTo(new Count(3, true));
    assertThat(admin.history().count(Filter.all(), any -> true)).isEqualTo(new Count(0, true));
    assertThat(admin.deferred().count(Filter.all(), any -> true)).isEqualTo(new Count(0, true));
  }

  // --- one message

  @Test
  void oneMessageIsFoundWithItsPayload() {
    SteppedRelay relay = relay();
    Admin admin = published(relay, 1);
    DeadLetter letter = letters(admin).get(0);
    assertThat(letter.message().envelope().payload()).isNull();

    List<Entry> found = admin.find(letter.id().partition(), letter.id().seq());

    assertThat(found).singleElement().isInstanceOf(DeadLetter.class);
    assertThat(found.get(0).message().envelope().payload()).isNotEmpty();
    admin.deadLetters().resolve(List.of(letter.id()));
    assertThat(admin.find(letter.id().partition(), letter.id().seq()))
        .singleElement()
        .isInstanceOf(Admin.HistoryEntry.class);
    assertThat(admin.actions().page(null, 10).items())
        .extracting(AdminAction::state)
        .containsExactly(State.DONE);
  }
}
