/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.ReadyMessage;
import io.posthorn.Admin.Resolution;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Kind;
import io.posthorn.AdminAction.Original;
import io.posthorn.AdminAction.State;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.AdminStore.ActionPlace;
import io.posthorn.spi.AdminStore.NewAction;
import io.posthorn.spi.AdminStore.OpenAction;
import io.posthorn.spi.AdminStore.Slice;
import io.posthorn.spi.Fate;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.FleetSurvey.Paused;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.StoredMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What operators do is recorded, together with what comes of it.
 *
 * @since 0.1
 */
public abstract class ActionContract extends StoreContract {
  private static final Duration HOUR = Duration.ofHours(1);

  private RelayIdentity me;

  @BeforeEach
  final void joinFleet() {
    me = join("a");
  }

  private AdminStore admin() {
    return database().store().admin();
  }

  private static NewAction retry(UUID id) {
    return new NewAction(id, Kind.RETRY, "größe", "it's \"back\"", "handler = mailer");
  }

  private static EntryId id(StoredMessage row) {
    return new EntryId(row.partition(), row.seq(), "mailer");
  }

  private EntryId bury(NewMessage message) {
    return id(defer(me, message, "mailer", new Fate.Dead(3, "refused")));
  }

  private AdminAction recorded(UUID id) {
    return admin().action(id).orElseThrow();
  }

  @Test
  void anActionTellsWhoDidWhatWhyAndToHowMany() {
    Instant before = storeNow();
    UUID id = UUID.randomUUID();

    OpenAction open = admin().together(store -> store.open(retry(id)));

    assertThat(open.place()).isNull();
    assertThat(open.action()).isEqualTo(recorded(id));
    assertThat(recorded(id).startedAt()).isBetween(before, before.plus(HOUR));
    assertThat(recorded(id))
        .usingRecursiveComparison()
        .ignoringFields("startedAt", "changedAt")
        .isEqualTo(
            new AdminAction(
                id,
                Kind.RETRY,
                "größe",
                "it's \"back\"",
                "handler = mailer",
                State.RUNNING,
                0,
                before,
                before,
                null));
    assertThat(admin().action(UUID.randomUUID())).isEmpty();
  }

  @Test
  void anActionThatIsOpenedAgainIsWhereItWas() {
    UUID id = UUID.randomUUID();
    admin().together(store -> store.open(retry(id)));
    Instant started = recorded(id).startedAt();
    advance(HOUR);

    AdminAction after = admin().advance(id, 500, "here");
    OpenAction again =
        admin()
            .together(
                store -> store.open(new NewAction(id, Kind.DELETE, "other", null, "everything")));

    assertThat(after.entries()).isEqualTo(500);
    assertThat(again.place()).isEqualTo("here");
    assertThat(again.action()).isEqualTo(after);
    assertThat(again.action().kind()).isEqualTo(Kind.RETRY);
    assertThat(again.action().startedAt()).isEqualTo(started);
    assertThat(again.action().changedAt()).isAfterOrEqualTo(started.plus(HOUR));

    AdminAction done = admin().advance(id, 7, null);
    assertThat(done.entries()).isEqualTo(507);
    assertThat(done.state()).isEqualTo(State.DONE);
  }

  @Test
  void onlyAnActionUnderWayIsStopped() {
    UUID running = UUID.randomUUID();
    UUID done = UUID.randomUUID();
    admin().together(store -> store.open(retry(running)));
    admin().together(store -> store.open(retry(done)));
    admin().advance(done, 1, null);

    assertThat(admin().stopAction(running)).isTrue();
    assertThat(admin().stopAction(running)).isFalse();
    assertThat(admin().stopAction(done)).isFalse();
    assertThat(admin().stopAction(UUID.randomUUID())).isFalse();

    assertThat(recorded(running).state()).isEqualTo(State.STOPPED);
    assertThat(recorded(done).state()).isEqualTo(State.DONE);
  }

  @Test
  void whatIsDoneTogetherIsSeenWithinAndKept() {
    EntryId letter = bury(Messages.keyed(0, "order-1"));
    UUID id = UUID.randomUUID();

    List<EntryId> retried =
        admin()
            .together(
                store -> {
                  store.open(retry(id));
                  List<EntryId> moved = store.retry(List.of(letter));
                  assertThat(store.deadLetter(letter)).isEmpty();
                  assertThat(store.deferred(letter)).isPresent();
                  store.together(inner -> inner.advance(id, 1, null));
                  return moved;
                });

    assertThat(retried).containsExactly(letter);
    assertThat(recorded(id).entries()).isEqualTo(1);
    assertThat(admin().deferred(letter)).isPresent();
  }

  @Test
  void twoWhoCarryOutTheSameActionTakeTurns() throws Exception {
    UUID id = UUID.randomUUID();
    List<Throwable> failures = new ArrayList<>();
    Runnable steps =
        () -> {
          for (int i = 0; i < 20; i++) {
            admin().together(store -> oneFurther(store, store.open(retry(id))));
          }
        };
    Thread other = new Thread(steps);
    other.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
    other.start();
    steps.run();
    other.join();

    assertThat(failures).isEmpty();
    assertThat(admin().together(store -> store.open(retry(id))).place()).isEqualTo("40");
    assertThat(recorded(id).entries()).isEqualTo(40);
  }

  private static AdminAction oneFurther(AdminStore store, OpenAction open) {
    @Nullable String place = open.place();
    int before = place == null ? 0 : Integer.parseInt(place);
    return store.advance(open.action().id(), 1, Integer.toString(before + 1));
  }

  @Test
  void theLatestActionsAreListedFirst() {
    List<UUID> all = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      UUID id = UUID.randomUUID();
      admin().together(store -> store.open(retry(id)));
      all.add(0, id);
      advance(Duration.ofSeconds(1));
    }
    for (int limit : new int[] {1, 3, 7, 10}) {
      List<UUID> met = new ArrayList<>();
      List<AdminAction> page = admin().actions(null, limit);
      while (!page.isEmpty()) {
        assertThat(page).hasSizeLessThanOrEqualTo(limit);
        page.forEach(action -> met.add(action.id()));
        AdminAction last = page.get(page.size() - 1);
        page = admin().actions(new ActionPlace(last.startedAt(), last.id()), limit);
      }
      assertThat(met).as("in pages of %d", limit).containsExactlyElementsOf(all);
    }
  }

  // --- edits

  @Test
  @SuppressWarnings("NullAway") // it does not find the annotation on the array in a class file
  void aPayloadCanBeReplacedBeforeARetry() {
    EntryId letter = bury(Messages.keyed(0, "order-1"));
    EntryId tombstone = bury(Messages.keyed(0, "order-2"));
    EntryId untouched = bury(Messages.keyed(0, "order-3"));
    byte[] fixed = {0, 1, (byte) 0xff};

    assertThat(admin().setPayload(letter, fixed)).isTrue();
    assertThat(admin().setPayload(tombstone, null)).isTrue();
    assertThat(admin().setPayload(new EntryId(0, letter.seq(), "audit"), fixed)).isFalse();
    admin().retry(List.of(letter, tombstone));

    assertThat(payload(letter)).isEqualTo(fixed);
    assertThat(payload(tombstone)).isNull();
    assertThat(admin().deadLetter(untouched).orElseThrow().message().envelope().payload())
        .isNotNull();
  }

  private byte @Nullable [] payload(EntryId deferred) {
    return admin().deferred(deferred).orElseThrow().message().envelope().payload();
  }

  @Test
  void anActionKeepsWhatItReplaced() {
    UUID id = UUID.randomUUID();
    byte[] payload = "was".getBytes(StandardCharsets.UTF_8);
    NewAction edit = new NewAction(id, Kind.EDIT_PAYLOAD, "anna", null, "0/1/mailer");

    admin()
        .together(
            store -> {
              store.open(edit);
              store.keepOriginal(id, new Original(Map.of("a", "\"ü\""), payload));
              return store.advance(id, 1, null);
            });

    Original original = requireNonNull(recorded(id).original());
    assertThat(original.headers()).isEqualTo(Map.of("a", "\"ü\""));
    assertThat(original.payload()).isEqualTo(payload);
    assertThat(admin().actions(null, 10)).extracting(AdminAction::original).containsOnlyNulls();
  }

  @Test
  void anEditorReadsTheLetterThatIsThere() {
    EntryId letter = bury(Messages.keyed(0, "order-1"));

    DeadLetter locked = admin().together(store -> store.lockDeadLetter(letter)).orElseThrow();

    assertThat(locked.id()).isEqualTo(letter);
    assertThat(locked.message().envelope().payload()).isNotNull();
    assertThat(admin().lockDeadLetter(new EntryId(0, letter.seq(), "audit"))).isEmpty();
  }

  // --- resolve, group

  @Test
  void aResolvedLetterTellsWhoAndWhy() {
    EntryId explained = bury(Messages.keyed(0, "order-1"));
    EntryId unexplained = bury(Messages.keyed(0, "order-2"));

    admin().remove(List.of(explained), new Resolution("anna", "sent by post"));
    admin().remove(List.of(unexplained), new Resolution("ben", null));

    assertThat(admin().history(Filter.all(), null, 10).entries())
        .extracting(entry -> entry.resolution())
        .containsExactly(new Resolution("anna", "sent by post"), new Resolution("ben", null));
  }

  @Test
  void theLatestLettersOfAHandlerAreFound() {
    List<EntryId> mailer =
        Stream.of("a", "b", "c").map(key -> bury(Messages.keyed(0, key))).toList();
    StoredMessage other = append(Messages.keyed(0, "d"));
    settleReady(me, other, deadFor("audit"));

    assertThat(admin().latestDeadLetters(null, 2))
        .extracting(DeadLetter::id)
        .containsExactly(new EntryId(0, other.seq(), "audit"), mailer.get(2));
    assertThat(admin().latestDeadLetters("mailer", 10))
        .extracting(DeadLetter::id)
        .containsExactly(mailer.get(2), mailer.get(1), mailer.get(0));
    assertThat(admin().latestDeadLetters("search", 10)).isEmpty();
    assertThat(admin().latestDeadLetters(null, 1).get(0).message().envelope().payload()).isNull();
  }

  // --- ready messages, fleet

  @Test
  void readyMessagesAreFoundByPartitionTypeAndAge() {
    StoredMessage first = append(Messages.keyed(1, "order-1"));
    StoredMessage second = append(Messages.keyed(1, "order-2"));
    StoredMessage third = append(Messages.keyed(0, "order-1"));

    assertThat(ready(Filter.all())).containsExactly(third.seq(), first.seq(), second.seq());
    assertThat(ready(Filter.all().key("order-1"))).containsExactly(third.seq(), first.seq());
    assertThat(ready(Filter.all().type("other"))).isEmpty();
    assertThat(ready(Filter.all().to(first.createdAt()))).isEmpty();
    assertThat(ready(Filter.all().messageId(second.envelope().id()))).containsExactly(second.seq());
    ReadyMessage one = admin().ready(Filter.all(), null, 1).entries().get(0);
    assertThat(one.message().envelope().payload()).isNull();
    assertThat(one.messageId()).isEqualTo(third.envelope().id());
    Slice<ReadyMessage> two = admin().ready(Filter.all(), null, 2);
    assertThat(admin().ready(Filter.all(), two.next(), 2).entries())
        .extracting(row -> row.message().seq())
        .containsExactly(second.seq());
  }

  private List<Long> ready(Filter filter) {
    return admin().ready(filter, null, 100).entries().stream()
        .map(row -> row.message().seq())
        .toList();
  }

  @Test
  void theFleetIsSeenWithoutARelay() {
    relay().take(me, relay().survey().partitions().subList(0, 1));
    RelayIdentity other = join("b");
    admin().pause(Paused.HANDLER, "mailer");

    FleetSurvey fleet = admin().fleet();

    assertThat(fleet.instances())
        .extracting(LiveInstance::identity)
        .containsExactlyInAnyOrder(me, other);
    assertThat(fleet.instances()).noneMatch(LiveInstance::stale);
    assertThat(fleet.partitions()).hasSize(partitions());
    assertThat(fleet.partitions()).filteredOn(partition -> me.equals(partition.owner())).hasSize(1);
    assertThat(fleet.pauses()).extracting(FleetSurvey.Pause::name).containsExactly("mailer");
    advance(LEASE.plus(MOMENT));
    assertThat(admin().fleet().instances()).allMatch(LiveInstance::stale);
  }

  // --- together

  @Test
  void whatFailsTogetherLeavesNothingBehind() {
    UUID id = UUID.randomUUID();
    assertThatThrownBy(
            () ->
                admin()
                    .together(
                        store -> {
                          store.open(retry(id));
                          store.pause(Paused.HANDLER, "mailer");
                          throw new IllegalStateException("changed my mind");
                        }))
        .hasMessage("changed my mind");

    assertThat(admin().action(id)).isEmpty();
    assertThat(admin().pauses()).isEmpty();
  }
}
