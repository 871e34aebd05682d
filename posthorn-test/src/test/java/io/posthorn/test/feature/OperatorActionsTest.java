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
import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.Page;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Kind;
import io.posthorn.AdminAction.Original;
import io.posthorn.AdminAction.State;
import io.posthorn.DeadLetters;
import io.posthorn.Delivery;
import io.posthorn.Fleet;
import io.posthorn.MessageHeaders;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.StoreException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What operators do is recorded, can be watched, stopped, and asked for again. */
class OperatorActionsTest {
  private static final RetryPolicy ONCE =
      RetryPolicy.exponential(Duration.ofSeconds(1), Duration.ofSeconds(1), 1);

  private final Scene scene = new Scene(4);
  private final List<String> got = new ArrayList<>();
  private final List<Delivery> deliveries = new ArrayList<>();
  private boolean failing = true;

  private SteppedRelay relay(String name, MessageStore store) {
    return scene.relay(
        name,
        store,
        builder ->
            builder
                .relay(r -> r.retry(ONCE).retention(Duration.ofDays(1)))
                .publish(p -> p.maxPayloadBytes(100))
                .handler("mailer", "t", String.class, this::handle));
  }

  private SteppedRelay relay() {
    return relay("a", scene.store());
  }

  private void handle(String payload, Delivery delivery) {
    if (failing) {
      throw new IllegalStateException("no route to " + payload.length());
    }
    got.add(payload);
    deliveries.add(delivery);
  }

  @AfterEach
  void stop() {
    scene.close();
  }

  /** A relay that has buried this many messages. */
  private static Admin buried(SteppedRelay relay, int count) {
    IntStream.range(0, count).forEach(i -> relay.publish(message("t", null, "m" + i)));
    relay.drain();
    return relay.posthorn().admin();
  }

  private static List<EntryId> ids(Admin admin) {
    return admin.deadLetters().page(Filter.all(), null, 1_000).items().stream()
        .map(DeadLetter::id)
        .toList();
  }

  private static List<AdminAction> recorded(Admin admin) {
    return admin.actions().page(null, 1_000).items();
  }

  private AdminAction last(Admin admin) {
    scene.clock().advance(Duration.ofMillis(1));
    return recorded(admin).get(0);
  }

  // --- recorded

  @Test
  void anActionTellsWhoDidWhatToWhatAndWhy() {
    Admin admin = buried(relay(), 3);

    admin.as("anna", "mail server is back").deadLetters().retryAll(Filter.all().handler("mailer"));

    AdminAction action = recorded(admin).get(0);
    assertThat(action.kind()).isEqualTo(Kind.RETRY);
    assertThat(action.who()).isEqualTo("anna");
    assertThat(action.why()).isEqualTo("mail server is back");
    assertThat(action.target()).isEqualTo("handler = mailer");
    assertThat(action.entries()).isEqualTo(3);
    assertThat(action.state()).isEqualTo(State.DONE);
  }

  @Test
  void everythingThatChangesSomethingIsRecorded() {
    SteppedRelay relay = relay();
    Admin admin = buried(relay, 9).as("anna", null);
    List<EntryId> ids = ids(admin);
    admin.deadLetters().setHeaders(ids.get(0), Map.of("a", "b"));
    assertThat(last(admin).target())
        .startsWith("%d/%d/mailer (content ".formatted(ids.get(0).partition(), ids.get(0).seq()));
    admin.deadLetters().setPayload(ids.get(0), new byte[] {1});
    assertThat(last(admin).kind()).isEqualTo(Kind.EDIT_PAYLOAD);
    admin.deadLetters().resolve(ids.subList(1, 3));
    assertThat(last(admin).entries()).isEqualTo(2);
    admin.deadLetters().resolveAll(Filter.all().messageId(UUID.randomUUID()), ActionRun.once());
    assertThat(last(admin).entries()).isZero();
    admin.deadLetters().delete(ids.subList(3, 4));
    last(admin);
    admin.deadLetters().retry(ids.subList(4, 6));
    last(admin);
    admin.deferred().runNow(ids.subList(4, 5));
    last(admin);
    admin.deferred().runAllNow(Filter.all(), ActionRun.once());
    assertThat(last(admin).entries()).isEqualTo(2);
    admin.deferred().cancel(ids.subList(4, 5));
    assertThat(last(admin).kind()).isEqualTo(Kind.CANCEL);
    admin.deferred().cancelAll(Filter.all().reason(DeferReason.RETRYING));
    assertThat(last(admin).target()).isEqualTo("reason = RETRYING");
    admin.deadLetters().deleteAll(Filter.all(), ActionRun.once());
    assertThat(last(admin).target()).isEqualTo("everything");
    admin.history().replay(ids.subList(1, 2));
    assertThat(last(admin).kind()).isEqualTo(Kind.REPLAY);
    admin.lanes().block("mailer", "k");
    assertThat(last(admin).target()).isEqualTo("handler mailer, key k");
    admin.lanes().unblock("mailer", "k");
    assertThat(last(admin).kind()).isEqualTo(Kind.UNBLOCK);
    admin.lanes().skipHead("mailer", "k");
    assertThat(last(admin)).matches(action -> action.kind() == Kind.SKIP && action.entries() == 0);
    admin.fleet().pauseHandler("mailer");
    assertThat(last(admin).target()).isEqualTo("handler mailer");
    admin.fleet().resumeHandler("mailer");
    assertThat(last(admin).kind()).isEqualTo(Kind.RESUME);
    admin.fleet().pausePartition(3);
    assertThat(last(admin).target()).isEqualTo("partition 3");
    admin.fleet().resumePartition(3);
    last(admin);
    admin.fleet().forgetHandler("gone");
    assertThat(last(admin).kind()).isEqualTo(Kind.FORGET);

    assertThat(recorded(admin))
        .hasSize(20)
        .allMatch(action -> action.state() == State.DONE && action.who().equals("anna"));
  }

  @Test
  void pagesOfActionsLinkToTheNext() {
    Admin admin = relay().posthorn().admin();
    for (int i = 0; i < 5; i++) {
      admin.fleet().pauseHandler("h" + i);
      scene.clock().advance(Duration.ofSeconds(1));
    }

    Page<AdminAction> first = admin.actions().page(null, 2);
    Page<AdminAction> second = admin.actions().page(first.cursor(), 2);
    Page<AdminAction> third = admin.actions().page(second.cursor(), 2);

    assertThat(third.cursor()).isNull();
    assertThat(List.of(first, second, third))
        .flatExtracting(Page::items)
        .extracting(AdminAction::target)
        .containsExactly("handler h4", "handler h3", "handler h2", "handler h1", "handler h0");
    for (String bad : List.of("", "x", "%", first.cursor().substring(2))) {
      assertThatThrownBy(() -> admin.actions().page(bad, 2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("cursor was");
    }
  }

  @Test
  void nobodyActsWithoutANameOrWithOneThatIsTooLong() {
    Admin admin = relay().posthorn().admin();

    assertThatThrownBy(() -> admin.as(" ", null)).hasMessageContaining("who had 1 characters");
    assertThatThrownBy(() -> admin.as("x".repeat(101), null)).hasMessageContaining("101");
    assertThatThrownBy(() -> admin.as("x", "y".repeat(1_001))).hasMessageContaining("why had 1001");
    admin.fleet().pauseHandler("mailer");
    assertThat(recorded(admin).get(0).who()).isEqualTo("unknown");
  }

  // --- watched, stopped, asked for again

  @Test
  void anActionThatIsAskedForAgainIsNotDoneAgain() {
    SteppedRelay relay = relay();
    Admin admin = buried(relay, 3);
    ActionRun run = ActionRun.of(UUID.randomUUID());
    AdminAction done = admin.deadLetters().retryAll(Filter.all(), run);
    relay.pass(Duration.ofSeconds(2)); // they die again

    AdminAction again = admin.deadLetters().retryAll(Filter.all(), run);

    assertThat(again).isEqualTo(done);
    assertThat(admin.deadLetters().count(Filter.all()).entries()).isEqualTo(3);
    assertThat(recorded(admin)).hasSize(1);
  }

  @Test
  void anIdOfAnotherActionIsRefused() {
    Admin admin = buried(relay(), 1);
    ActionRun run = ActionRun.of(UUID.randomUUID());
    admin.deadLetters().retryAll(Filter.all().type("other"), run);

    assertThatThrownBy(() -> admin.deadLetters().deleteAll(Filter.all(), run))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Nothing done: action %s is recorded as RETRY of \"type = other\", but this is DELETE of \"everything\"; take another id"
                .formatted(run.id()));
    assertThat(admin.deadLetters().count(Filter.all()).entries()).isEqualTo(1);
  }

  @Test
  void anEditWithAnotherContentIsAnotherAction() {
    Admin admin = buried(relay(), 1);
    EntryId id = ids(admin).get(0);
    DeadLetters letters = admin.deadLetters();
    ActionRun run = ActionRun.of(UUID.randomUUID());

    AdminAction done = letters.setPayload(id, bytes("fixed"), run);

    assertThat(letters.setPayload(id, bytes("fixed"), run)).isEqualTo(done);
    for (byte[] other : new byte[][] {bytes("mended"), bytes(""), null}) {
      assertThatThrownBy(() -> letters.setPayload(id, other, run))
          .hasMessageContaining("take another id");
    }
    assertThat(letters.find(id).orElseThrow().message().envelope().payload())
        .isEqualTo(bytes("fixed"));
    ActionRun headers = ActionRun.of(UUID.randomUUID());
    letters.setHeaders(id, Map.of("a", "b", "c", "d"), headers);
    assertThat(letters.setHeaders(id, Map.of("c", "d", "a", "b"), headers).entries()).isEqualTo(1);
    assertThatThrownBy(() -> letters.setHeaders(id, Map.of("a", "b", "c", "x"), headers))
        .hasMessageContaining("take another id");
  }

  @Test
  void aListWithOtherEntriesIsAnotherActionAndOneInAnotherOrderIsNot() {
    Admin admin = buried(relay(), 14);
    List<EntryId> ids = new ArrayList<>(ids(admin));
    ids.sort(Comparator.comparing(EntryId::partition).thenComparing(EntryId::seq));
    List<EntryId> wanted = new ArrayList<>(ids.subList(0, 13));
    List<EntryId> other = new ArrayList<>(ids.subList(0, 12));
    other.add(ids.get(13));
    ActionRun run = ActionRun.of(UUID.randomUUID());

    AdminAction done = admin.deadLetters().retry(wanted, run);

    assertThat(done.target()).matches(".* and 3 more \\(content [0-9a-f]{12}\\)");
    assertThatThrownBy(() -> admin.deadLetters().retry(other, run))
        .hasMessageContaining("take another id");
    Collections.reverse(wanted);
    assertThat(admin.deadLetters().retry(wanted, run)).isEqualTo(done);
    assertThat(ids(admin)).containsExactly(ids.get(13));
  }

  @Test
  void valuesOfHeadersAreNotRecorded() {
    Admin admin = buried(relay(), 1);
    List<EntryId> ids = ids(admin);
    DeadLetters.HeaderEdit edit =
        new DeadLetters.HeaderEdit(Map.of("authorization", "s3cret"), Set.of());

    admin.deadLetters().editHeaders(ids, edit);
    admin.deadLetters().editAllHeaders(Filter.all(), edit, ActionRun.once());
    admin.deadLetters().setHeaders(ids.get(0), Map.of("authorization", "s3cret"));

    assertThat(recorded(admin))
        .hasSize(3)
        .extracting(AdminAction::target)
        .doesNotHaveDuplicates()
        .noneMatch(target -> target.contains("s3cret"))
        .filteredOn(target -> target.startsWith("set authorization (content "))
        .hasSize(2);
  }

  @Test
  void progressIsToldAfterEachBatchAndMayStopTheAction() {
    Admin admin = buried(relay(), 1_700);
    List<Long> progress = new ArrayList<>();

    AdminAction stopped =
        admin
            .deadLetters()
            .deleteAll(
                Filter.all(),
                ActionRun.once()
                    .whileTrue(
                        action -> {
                          progress.add(action.entries());
                          return action.entries() < 1_000;
                        }));

    assertThat(progress).containsExactly(500L, 1_000L);
    assertThat(stopped.state()).isEqualTo(State.STOPPED);
    assertThat(stopped.entries()).isEqualTo(1_000);
    assertThat(admin.deadLetters().count(Filter.all()).entries()).isEqualTo(700);
    assertThat(admin.deadLetters().deleteAll(Filter.all(), ActionRun.of(stopped.id())))
        .as("a stopped action does not go on")
        .isEqualTo(stopped);
  }

  @Test
  void anActionIsStoppedFromElsewhere() {
    Admin admin = buried(relay(), 1_700);
    ActionRun run = ActionRun.of(UUID.randomUUID());

    AdminAction stopped =
        admin
            .deadLetters()
            .deleteAll(Filter.all(), run.whileTrue(action -> admin.actions().stop(run.id())));

    assertThat(stopped.state()).isEqualTo(State.STOPPED);
    assertThat(stopped.entries()).isEqualTo(500);
    assertThat(admin.actions().stop(run.id())).isFalse();
  }

  @Test
  void anActionThatBrokeOffIsRecordedAndGoesOn() {
    List<Runnable> meanwhile = new ArrayList<>();
    StoreWithInterruptions store = new StoreWithInterruptions(scene.store(), meanwhile);
    Admin admin = buried(relay("a", store.wrapped()), 1_200);
    ActionRun run = ActionRun.of(UUID.randomUUID());
    meanwhile.add(
        () -> {
          throw new StoreException(StoreException.Kind.UNAVAILABLE, "connection lost", null);
        });

    assertThatThrownBy(() -> admin.deadLetters().retryAll(Filter.all(), run))
        .hasMessageContaining("connection lost");
    meanwhile.clear();

    AdminAction broken = admin.actions().find(run.id()).orElseThrow();
    assertThat(broken.state()).isEqualTo(State.RUNNING);
    assertThat(broken.entries()).as("what was committed").isEqualTo(500);
    assertThat(admin.deferred().count(Filter.all()).entries()).isEqualTo(500);

    AdminAction done = admin.deadLetters().retryAll(Filter.all(), run);
    assertThat(done.state()).isEqualTo(State.DONE);
    assertThat(done.entries()).isEqualTo(1_200);
  }

  @Test
  void whatIsCountedFirstIsWhatIsDone() {
    Admin admin = buried(relay(), 20);
    Filter filter = Filter.all().errorContains("route to 3"); // "m10" and later

    Admin.Count count = admin.deadLetters().count(filter);

    assertThat(count).isEqualTo(new Admin.Count(10, true));
    assertThat(admin.deadLetters().retryAll(filter)).isEqualTo(10);
  }

  // --- edits

  @Test
  void anEditedMessageIsMarkedAndItsOriginalIsKept() {
    SteppedRelay relay = relay();
    Admin admin = buried(relay, 1);
    EntryId id = ids(admin).get(0);

    assertThat(admin.as("anna", "typo").deadLetters().setPayload(id, bytes("fixed"))).isTrue();
    scene.clock().advance(Duration.ofSeconds(1));
    assertThat(admin.as("ben", "typo").deadLetters().setPayload(id, bytes("mended"))).isTrue();
    assertThat(admin.deadLetters().setHeaders(id, Map.of("region", "north"))).isTrue();
    failing = false;
    admin.deadLetters().retry(id);
    relay.pass(Duration.ofSeconds(1));

    assertThat(got).containsExactly("mended");
    Map<String, String> headers = deliveries.get(0).headers();
    assertThat(headers).containsEntry("region", "north").containsKey(MessageHeaders.EDITED);
    AdminAction first =
        admin.actions().find(UUID.fromString(headers.get(MessageHeaders.EDITED))).orElseThrow();
    assertThat(first.who()).isEqualTo("anna");
    assertThat(first.original()).isNotNull();
    assertThat(first.original().payload()).isEqualTo(bytes("m0"));
    assertThat(first.original().headers()).doesNotContainKey(MessageHeaders.EDITED);
    assertThat(recorded(admin)).extracting(AdminAction::original).containsOnlyNulls();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void headersThatWereReplacedAreKept() {
    Admin admin = buried(relay(), 1);
    EntryId id = ids(admin).get(0);
    admin.deadLetters().setHeaders(id, Map.of("a", "b"));
    scene.clock().advance(Duration.ofSeconds(1));
    admin.deadLetters().setHeaders(id, Map.of("a", "c", MessageHeaders.EDITED, "forged"));

    Original original = admin.actions().find(recorded(admin).get(0).id()).orElseThrow().original();
    assertThat(original.headers()).isEqualTo(Map.of("a", "b"));
    assertThat(admin.deadLetters().find(id).orElseThrow().message().envelope().headers())
        .isEqualTo(Map.of("a", "c"));
  }

  @Test
  void aPayloadThatPublishingWouldRefuseIsRefused() {
    Admin admin = buried(relay(), 1);
    EntryId id = ids(admin).get(0);

    assertThatThrownBy(() -> admin.deadLetters().setPayload(id, new byte[101]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Payload not changed: it had 101 bytes but publish.max-payload-bytes is 100");
    assertThat(admin.deadLetters().setPayload(id, null)).isTrue();
    assertThat(admin.deadLetters().setPayload(new EntryId(0, 999, "mailer"), null)).isFalse();
  }

  // --- resolved, grouped

  @Test
  void aResolvedLetterTellsWhoAndWhy() {
    Admin admin = buried(relay(), 1);

    admin.as("anna", "sent by post").deadLetters().resolve(ids(admin));

    assertThat(admin.history().page(Filter.all(), null, 10).items())
        .extracting(Admin.HistoryEntry::resolution)
        .containsExactly(new Admin.Resolution("anna", "sent by post"));
  }

  @Test
  void deadLettersAreGroupedByHandlerAndError() {
    Admin admin = buried(relay(), 12); // ten names of two characters, two of three

    DeadLetters.Groups groups = admin.deadLetters().groups(null);

    assertThat(groups.complete()).isTrue();
    assertThat(groups.groups()).hasSize(1);
    DeadLetters.Group group = groups.groups().get(0);
    assertThat(group.handler()).isEqualTo("mailer");
    assertThat(group.error()).contains("no route to #");
    assertThat(group.letters()).isEqualTo(12);
    assertThat(admin.deadLetters().groups("audit").groups()).isEmpty();
  }

  @Test
  void instancesAndTheirPartitionsAreSeen() {
    SteppedRelay first = relay("a", scene.store());
    SteppedRelay second = relay("b", scene.store());
    for (int i = 0; i < 3; i++) { // the first one hands some over, at a heartbeat
      first.pass(Duration.ofSeconds(6));
      second.pass(Duration.ofSeconds(6));
    }
    Admin admin = first.posthorn().admin();

    List<Fleet.Instance> instances = admin.fleet().instances();

    assertThat(instances)
        .extracting(instance -> instance.identity().id())
        .containsExactly("a", "b");
    assertThat(instances).allMatch(Fleet.Instance::leaseValid);
    assertThat(instances.get(0).handlers()).isEqualTo(Map.of("mailer", Set.of("t")));
    assertThat(instances)
        .flatExtracting(Fleet.Instance::partitions)
        .containsExactlyInAnyOrder(0, 1, 2, 3);
    assertThat(admin.fleet().partitions())
        .extracting(PartitionOwner::partition)
        .containsExactly(0, 1, 2, 3);
  }

  @Test
  void readyMessagesAreSeenUntilTheyAreDelivered() {
    SteppedRelay relay = relay();
    Admin admin = relay.posthorn().admin();
    relay.publish(message("t", "k", "x"));

    assertThat(admin.ready(Filter.all().type("t"), null, 10).items())
        .extracting(Admin.Entry::key)
        .containsExactly("k");
    assertThatThrownBy(() -> admin.ready(Filter.all().handler("mailer"), null, 10))
        .hasMessageContaining("handler was \"mailer\"");
    relay.drain();
    assertThat(admin.ready(Filter.all(), null, 10).items()).isEmpty();
  }

  @Test
  void thePartitionOfAKeyIsWhereItsMessagesAre() {
    SteppedRelay relay = relay();
    relay.publish(message("t", "order-17", "x"));
    relay.drain();
    Admin admin = relay.posthorn().admin();

    assertThat(admin.fleet().partitionOf("order-17")).isEqualTo(ids(admin).get(0).partition());
    assertThatThrownBy(() -> admin.fleet().partitionOf(""))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
