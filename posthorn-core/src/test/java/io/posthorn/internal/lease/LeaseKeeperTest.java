/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.lease;

import static io.posthorn.internal.memory.MemoryScene.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.RelayOptions;
import io.posthorn.RelayOptionsFixture;
import io.posthorn.internal.memory.MemoryScene;
import io.posthorn.internal.memory.RelayMemory;
import io.posthorn.internal.memory.WorkBatch;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.internal.run.RecordingLogger;
import io.posthorn.internal.run.RelayLog;
import io.posthorn.spi.Duty.StepResult;
import io.posthorn.spi.Fate;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.StoreException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Heartbeat, fair share, expulsion and hand-over, one pass at a time. */
class LeaseKeeperTest {
  private static final Map<String, Set<String>> HANDLERS = Map.of("mailer", Set.of("order"));
  private static final Duration HEARTBEAT = Duration.ofSeconds(5);
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final RelayLog log = new RelayLog();
  private final FleetTables tables = new FleetTables(4);
  private final List<String> events = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private RelayOptions options = RelayOptionsFixture.standard();
  private boolean othersTell = true;
  private MemoryScene scene = new MemoryScene(options, MemoryScene.handler("mailer"));
  private LeaseKeeper keeper = keeper();

  private LeaseKeeper keeper() {
    return new LeaseKeeper(
        "a",
        tables,
        scene.memory,
        new Listeners(
            List.of(new Events()), new FailureLog(new RecordingLogger(), "a", () -> scene.now)),
        new LeaseKeeper.Setting(
            options,
            () -> scene.now,
            Clock.fixed(Instant.EPOCH, ZoneOffset.UTC),
            HANDLERS,
            () -> "",
            () -> othersTell,
            () -> told.add("others"),
            () -> told.add("renewed"),
            () -> told.add("reader"),
            () -> told.add("resumed")));
  }

  private final class Events implements RelayListener {
    @Override
    public void taken(PartitionOwner partition) {
      events.add("taken " + partition.partition());
    }

    @Override
    public void recovered(int partition, RelayIdentity from) {
      events.add("recovered " + partition + " from " + from);
    }

    @Override
    public void released(int partition) {
      events.add("released " + partition);
    }

    @Override
    public void expelled(RelayIdentity identity) {
      events.add("expelled " + identity);
    }
  }

  @AfterEach
  void close() {
    log.close();
  }

  private RelayIdentity me() {
    return keeper.identity().orElseThrow();
  }

  /** Passes until there is nothing more to do; when the next one is due. */
  private Duration passes() {
    for (int i = 0; i < 20; i++) {
      StepResult step = keeper.runOnce();
      if (!step.nextIn().isZero()) {
        return step.nextIn();
      }
    }
    throw new AssertionError("it does not come to rest");
  }

  private List<Integer> kept() {
    return scene.memory.partitions().kept();
  }

  private void load() {
    scene
        .memory
        .dueIntake()
        .deferredHandlers(
            scene.memory.dueIntake().partitionsToLoad(),
            Map.of(),
            scene.memory.dueIntake().lookBegins());
  }

  private static List<String> warnings(RelayLog of) {
    return of.lines().stream().filter(line -> line.startsWith("WARNING")).toList();
  }

  // --- joining

  @Test
  void aRelayThatIsAloneJoinsAndTakesAllPartitions() {
    assertThat(keeper.leaseValid()).isFalse();
    assertThat(keeper.identity()).isEmpty();

    passes();

    assertThat(me()).isEqualTo(new RelayIdentity("a", 1));
    assertThat(tables.instances.get(me()).handlers()).isEqualTo(HANDLERS);
    assertThat(tables.ownedBy(me())).containsExactly(0, 1, 2, 3);
    assertThat(kept()).containsExactly(0, 1, 2, 3);
    assertThat(scene.memory.partitions().epochs()).isEqualTo(Map.of(0, 1L, 1, 1L, 2, 1L, 3, 1L));
    assertThat(events).containsExactly("taken 0", "taken 1", "taken 2", "taken 3");
    assertThat(told).contains("others", "reader");
    assertThat(keeper.leaseValid()).isTrue();
    assertThat(keeper.leaseValidFor(me(), scene.now)).isTrue();
    assertThat(keeper.lost(me())).isFalse();
    assertThat(log.lines())
        .containsExactly("INFO [a] joined as \"a#1\"", "INFO [a] took 4 partitions, holds 4 of 4");
    assertThat(keeper.name()).isEqualTo("lease");
    assertThat(keeper.relay()).isEqualTo("a");
  }

  @Test
  void aRelayWithAStartupDelayJoinsAfterIt() {
    options = RelayOptionsFixture.standard().startupDelay(Duration.ofSeconds(3));
    keeper = keeper();
    assertThat(passes()).isEqualTo(Duration.ofSeconds(3));
    scene.pass(Duration.ofSeconds(2));
    assertThat(passes()).isEqualTo(Duration.ofSeconds(1));
    assertThat(tables.instances).isEmpty();
    scene.pass(Duration.ofSeconds(1));
    passes();
    assertThat(kept()).hasSize(4);
  }

  @Test
  void thereIsMoreToDoUntilAPassMovesNothing() {
    assertThat(keeper.runOnce().done()).isEqualTo(4);
    assertThat(keeper.calmSurveys()).isZero();
    StepResult second = keeper.runOnce();
    assertThat(second.done()).isZero();
    assertThat(second.nextIn()).isPositive();
    assertThat(keeper.calmSurveys()).isOne();
  }

  @Test
  void whatItOwnsSinceATakeWhoseAnswerWasLostIsHeld() {
    RelayIdentity soon = new RelayIdentity("a", 1);
    tables.owns(2, soon);
    passes();
    assertThat(kept()).containsExactly(0, 1, 2, 3);
    assertThat(scene.memory.partitions().epochs()).containsEntry(2, 1L);
  }

  // --- heartbeats

  @Test
  void theNextPassIsDueWithTheNextHeartbeatOrSurvey() {
    options = RelayOptionsFixture.standard().heartbeatInterval(Duration.ofMillis(400));
    keeper = keeper();
    assertThat(passes()).isEqualTo(Duration.ofMillis(400));
  }

  @Test
  void aHeartbeatIsSentEachInterval() {
    passes();
    scene.pass(HEARTBEAT.minusNanos(1));
    passes();
    assertThat(tables.heartbeats).isZero();
    scene.pass(Duration.ofNanos(1));
    assertThat(keeper.runOnce().nextIn()).as("it goes on in the same pass").isPositive();
    assertThat(tables.heartbeats).isOne();
    assertThat(told).contains("renewed");
    passes();
    assertThat(tables.heartbeats).isOne();
    scene.pass(HEARTBEAT);
    passes();
    assertThat(tables.heartbeats).isEqualTo(2);
  }

  @Test
  void withoutAHeartbeatTheLeaseEndsATenthEarly() {
    passes();
    scene.pass(LEASE.dividedBy(10).multipliedBy(9).minusNanos(1));
    assertThat(keeper.leaseValid()).isTrue();
    scene.pass(Duration.ofNanos(1));
    assertThat(keeper.leaseValid()).isFalse();
    passes();
    assertThat(keeper.leaseValid()).isTrue();
  }

  @Test
  void floorsAreStoredWithHeartbeats() {
    passes();
    load();
    scene.read(message(9, "a"));
    tables.refusesFloors = true;
    scene.memory.partitions().foundBelowFloor(Map.of(0, -41L));
    scene.pass(HEARTBEAT);
    passes();
    assertThat(tables.partitions.get(0).floor()).isZero();
    tables.refusesFloors = false;
    scene.pass(HEARTBEAT);
    passes();
    assertThat(tables.partitions.get(0).floor()).as("one that was refused").isEqualTo(-42);
    assertThat(scene.memory.partitions().floorsToStore(1)).isEmpty();
  }

  // --- expulsion

  @Test
  void anExpelledRelayForgetsEverythingAndJoinsAgain() {
    passes();
    load();
    scene.read(message(1, "a"));
    RelayIdentity first = me();
    tables.expel(first);
    scene.pass(HEARTBEAT);
    events.clear();
    int surveys = tables.surveys;

    assertThat(keeper.runOnce()).isEqualTo(StepResult.again(1));
    assertThat(tables.surveys).as("its life is over").isEqualTo(surveys);

    assertThat(keeper.leaseValid()).isFalse();
    assertThat(keeper.identity()).isEmpty();
    assertThat(keeper.lost(first)).isTrue();
    assertThat(kept()).isEmpty();
    assertThat(scene.memory.isEmpty()).isTrue();
    assertThat(events).containsExactly("expelled a#1");
    assertThat(told).doesNotContain("renewed");
    assertThat(warnings(log)).hasSize(1).first().asString().contains("\"a#1\" was expelled");

    passes();
    assertThat(me()).isEqualTo(new RelayIdentity("a", 2));
    assertThat(keeper.leaseValidFor(first, scene.now)).isFalse();
    assertThat(kept()).hasSize(4);
  }

  @Test
  void aRelayThatASettleFoundExpelledTakesPartitionsAtOnceWhenItJoins() {
    passes();
    tables.expel(me());
    keeper.expelled(me());
    passes();
    assertThat(me()).isEqualTo(new RelayIdentity("a", 2));
    assertThat(kept()).hasSize(4);
  }

  @Test
  void whoeverFindsTheRelayExpelledNeedNotWaitForTheLeaseThread() {
    keeper.runOnce();
    othersGetIn("a pass that took partitions");
    tables.expel(me());
    keeper.expelled(me());
    othersGetIn("an expulsion");
  }

  private void othersGetIn(String after) {
    assertThat(CompletableFuture.runAsync(() -> keeper.expelled(new RelayIdentity("a", 0))))
        .as("after " + after)
        .succeedsWithin(Duration.ofSeconds(10));
  }

  @Test
  void theExpulsionOfAnEarlierLifeChangesNothing() {
    passes();
    keeper.expelled(new RelayIdentity("a", 0));
    assertThat(kept()).hasSize(4);
    assertThat(keeper.leaseValid()).isTrue();
    assertThat(events).noneMatch(event -> event.startsWith("expelled"));
  }

  @Test
  void whatIsTakenWhileASettleFindsTheRelayExpelledIsNotHeld() {
    RelayIdentity gone = tables.joined("gone");
    tables.owns(1, gone);
    tables.expel(gone);
    tables.whenTaking =
        () -> {
          tables.expel(me());
          keeper.expelled(me());
        };
    keeper.runOnce();
    assertThat(kept()).isEmpty();
    assertThat(events).as("nothing was recovered").containsExactly("expelled a#2");
    tables.whenTaking = () -> {};
    passes();
    assertThat(kept()).hasSize(4);
  }

  @Test
  void partitionsOfAnInstanceThatIsGoneAreTaken() {
    RelayIdentity other = tables.joined("b");
    tables.owns(2, other);
    tables.goesStale(other);

    passes();

    assertThat(tables.instances).doesNotContainKey(other);
    assertThat(events).contains("taken 2", "recovered 2 from b#1");
    assertThat(events).filteredOn(event -> event.startsWith("recovered")).hasSize(1);
    assertThat(warnings(log)).containsExactly("WARNING [a] expelled \"b#1\"");
    assertThat(kept()).hasSize(4);
  }

  @Test
  void oneThatIsInsideASettleIsLookedAtAgainSoon() {
    RelayIdentity other = tables.joined("b");
    tables.goesStale(other);
    tables.inSettle.add(other);
    assertThat(passes()).isEqualTo(Duration.ofMillis(200));
  }

  @Test
  void theNextLookIsWhenALeaseOfAnotherMayEnd() {
    tables.untilStale = Duration.ofMillis(300);
    assertThat(passes()).isEqualTo(Duration.ofMillis(301));
  }

  @Test
  void aRelayThatFindsItselfLateSendsAHeartbeatFirst() {
    passes();
    tables.goesStale(me());
    keeper.requestSurvey();
    int surveys = tables.surveys;
    assertThat(keeper.runOnce().nextIn()).isPositive();
    assertThat(tables.surveys).as("it looks again at once").isEqualTo(surveys + 2);
    assertThat(tables.heartbeats).isOne();
    assertThat(tables.instances.get(me()).stale()).isFalse();
    assertThat(kept()).hasSize(4);
  }

  @Test
  void aRelayThatFindsItselfLateAndIsExpelledJoinsAgain() {
    passes();
    RelayIdentity first = me();
    tables.goesStale(first);
    LiveInstance stale = tables.instances.get(first);
    keeper.requestSurvey();
    tables.whenSurveyed = () -> tables.instances.remove(first, stale);
    assertThat(keeper.runOnce().nextIn()).as("it joins at once").isZero();
    passes();
    assertThat(events).contains("expelled a#1");
    assertThat(me()).isEqualTo(new RelayIdentity("a", 2));
  }

  // --- fair share

  @Test
  void anotherRelayGetsItsShareOfWhatIsAtRest() {
    passes();
    load();
    RelayIdentity other = tables.joined("b");
    events.clear();
    told.clear();
    keeper.requestSurvey();
    assertThat(keeper.runOnce().done()).isEqualTo(2);
    passes();
    assertThat(kept()).containsExactly(0, 1);
    assertThat(tables.ownedBy(me())).containsExactly(0, 1);
    assertThat(events).containsExactly("released 2", "released 3");
    assertThat(told).contains("others");
    assertThat(tables.partitions.get(2).owner()).isNull();
    tables.owns(2, other);
    tables.owns(3, other);
    keeper.requestSurvey();
    long calm = keeper.calmSurveys();
    passes();
    assertThat(keeper.calmSurveys()).isEqualTo(calm + 1);
    assertThat(kept()).containsExactly(0, 1);
  }

  @Test
  void whatIsBeingDeliveredEndsBeforeItsPartitionGoes() {
    passes();
    load();
    scene.read(message(3, 1, "a"));
    WorkBatch batch = scene.take("mailer");
    tables.joined("b");
    keeper.requestSurvey();
    passes();
    assertThat(tables.ownedBy(me())).containsExactly(0, 1, 3);
    assertThat(kept()).containsExactly(0, 1);
    scene.finish(batch, Fate.DELIVERED);
    scene.memory.settled(scene.takeOutcomes());
    int surveys = tables.surveys;
    assertThat(keeper.runOnce().done()).isOne();
    assertThat(tables.surveys).as("it may be for this relay again").isEqualTo(surveys + 1);
    assertThat(tables.ownedBy(me())).containsExactly(0, 1);
  }

  @Test
  void aRelayThatWaitsForPartitionsOfOthersSaysSo() {
    RelayIdentity other = tables.joined("b");
    for (int i = 0; i < 4; i++) {
      tables.owns(i, other);
    }
    passes();
    scene.pass(Duration.ofSeconds(1));
    passes();
    assertThat(log.lines())
        .filteredOn(line -> line.contains("holds 0 of 4 partitions and waits for more"))
        .hasSize(1);
  }

  @Test
  void aReleasedPartitionHasTheFloorToWhichItWasRead() {
    passes();
    load();
    scene.memory.partitions().foundBelowFloor(Map.of(3, -41L));
    tables.joined("b");
    keeper.requestSurvey();
    passes();
    assertThat(tables.partitions.get(3).floor()).isEqualTo(-42);
  }

  @Test
  void aFloorThatHasRisenFarIsStoredWithAHeartbeat() {
    passes();
    load();
    scene.readPast(10_000);
    scene.pass(HEARTBEAT);
    passes();
    assertThat(tables.partitions.get(0).floor()).isEqualTo(10_000);
  }

  @Test
  void aFloorThatHasRisenLessIsStoredWithARelease() {
    passes();
    load();
    scene.readPast(9_999);
    scene.pass(HEARTBEAT);
    passes();
    assertThat(tables.partitions.get(3).floor()).isZero();
    tables.joined("b");
    keeper.requestSurvey();
    passes();
    assertThat(tables.partitions.get(3).floor()).isEqualTo(9_999);
  }

  @Test
  void whenAnotherRelayLeavesItsShareIsTaken() {
    RelayIdentity other = tables.joined("b");
    passes();
    assertThat(kept()).containsExactly(2, 3);
    tables.leave(other);
    keeper.requestSurvey();
    told.clear();
    passes();
    assertThat(kept()).containsExactly(0, 1, 2, 3);
    assertThat(told).contains("reader");
  }

  @Test
  void whileNothingHappensTheFleetIsLookedAtSeldom() {
    options = RelayOptionsFixture.standard().heartbeatInterval(Duration.ofSeconds(20));
    keeper = keeper();
    for (int seconds : new int[] {1, 2, 4, 8}) {
      int before = tables.surveys;
      assertThat(passes()).isEqualTo(Duration.ofSeconds(seconds));
      assertThat(tables.surveys).isGreaterThan(before);
      scene.pass(Duration.ofSeconds(seconds));
    }
  }

  @Test
  void aLookThatWasAskedForAndFailedIsTakenAtTheNextPass() {
    passes();
    for (int i = 0; i < 10; i++) { // while nothing happens, the next look is far away
      scene.pass(Duration.ofSeconds(1));
      passes();
    }
    keeper.requestSurvey();
    int before = tables.surveys;
    tables.whenSurveyed =
        () -> {
          throw StoreException.unavailable("no database", null);
        };
    assertThatThrownBy(this::passes).isInstanceOf(StoreException.class);
    tables.whenSurveyed = () -> {};

    keeper.runOnce();

    assertThat(tables.surveys).isEqualTo(before + 2);
  }

  @Test
  void withoutSignalsItIsLookedAtEverySecond() {
    othersTell = false;
    for (int i = 0; i < 3; i++) {
      assertThat(passes()).isEqualTo(Duration.ofSeconds(1));
      scene.pass(Duration.ofSeconds(1));
    }
  }

  // --- what surveys tell

  @Test
  void newHandlersOfTheFleetWakeTheReader() {
    passes();
    told.clear();
    keeper.requestSurvey();
    passes();
    assertThat(told).doesNotContain("reader");
    RelayIdentity other = tables.join("b", Map.of("audit", Set.of("order")));
    tables.inSettle.add(other);
    keeper.requestSurvey();
    passes();
    assertThat(told).contains("reader");
    assertThat(keeper.fleet().handlers()).containsExactly("audit", "mailer");
  }

  @Test
  void whatIsPausedForTheFleetStopsAndGoesOn() {
    tables.pauses.add(new FleetSurvey.Pause(FleetSurvey.Paused.HANDLER, "mailer", Instant.EPOCH));
    passes();
    assertThat(scene.status().handlers().get("mailer").paused()).isTrue();
    assertThat(told).doesNotContain("resumed");
    tables.pauses.clear();
    keeper.requestSurvey();
    passes();
    assertThat(scene.status().handlers().get("mailer").paused()).isFalse();
    assertThat(told).contains("resumed");
  }

  @Test
  void partitionsThatHaveComeToRestAreCalmed() {
    for (int i = 0; i < 4; i++) {
      tables.partitions.put(i, new PartitionOwner(i, null, 1, i == 3 ? 0 : i, 0));
    }
    passes();
    assertThat(warnings(log))
        .singleElement()
        .asString()
        .startsWith("WARNING [a] the owners of 1 of them died at work more than once");
    load();
    scene.read();
    scene.pass(Duration.ofMinutes(1));
    passes();
    assertThat(tables.calmed).containsExactlyInAnyOrder(1, 2);
    tables.calmed.clear();
    scene.pass(Duration.ofMinutes(1));
    passes();
    assertThat(tables.calmed).as("once").isEmpty();
  }

  @Test
  void aRowOfAPartitionThatSomebodyDeletedIsTold() {
    passes();
    assertThat(warnings(log)).isEmpty();
    tables.partitions.remove(3);
    keeper.requestSurvey();
    passes();
    assertThat(warnings(log))
        .singleElement()
        .asString()
        .startsWith("WARNING [a] the outbox had 4 partitions, and has 3");
  }

  @Test
  void aHandlerThatNobodyHasAnyMoreIsToldOnceAndForgottenWhenItIsBack() {
    RelayIdentity left = new RelayIdentity("b", 9);
    tables.gone.add(new FleetSurvey.Gone("audit", left, Set.of("order"), Duration.ofSeconds(1)));
    tables.gone.add(new FleetSurvey.Gone("mailer", left, Set.of("order"), Duration.ofSeconds(1)));
    passes();
    keeper.requestSurvey();
    passes();
    assertThat(warnings(log))
        .singleElement()
        .asString()
        .startsWith("WARNING [a] no live instance has handler \"audit\" any more");
    assertThat(tables.gone)
        .as("this relay has mailer")
        .extracting(FleetSurvey.Gone::handler)
        .containsExactly("audit");
  }

  // --- stopping

  @Test
  void aRelayThatStopsReleasesItsPartitionsAndLeaves() {
    passes();
    load();
    told.clear();
    events.clear();
    RelayIdentity life = me();
    keeper.beginStop();
    assertThat(kept()).as("nothing is started any more").isEmpty();
    assertThat(keeper.hasLeft()).isFalse();
    assertThat(keeper.runOnce().nextIn()).isZero();
    assertThat(keeper.hasLeft()).isTrue();
    assertThat(tables.instances).isEmpty();
    assertThat(tables.ownedBy(life)).isEmpty();
    assertThat(tables.retired).as("it leaves at once").isEmpty();
    assertThat(events).containsExactly("released 0", "released 1", "released 2", "released 3");
    assertThat(told).contains("others");
    assertThat(keeper.leaseValid()).isFalse();
    assertThat(keeper.runOnce().nextIn()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void whileSomethingIsDeliveredTheRestIsReleasedAndItsShareGivenUp() {
    passes();
    load();
    scene.read(message(2, 1, "a"));
    WorkBatch batch = scene.take("mailer");
    RelayIdentity life = me();
    keeper.beginStop();
    told.clear();
    assertThat(passes()).isEqualTo(Duration.ofMillis(10));
    assertThat(tables.ownedBy(life)).containsExactly(2);
    assertThat(tables.retired).containsExactly(life);
    assertThat(told).contains("others");
    tables.retired.clear();
    passes();
    assertThat(tables.retired).as("once").isEmpty();
    assertThat(keeper.hasLeft()).isFalse();

    scene.finish(batch, Fate.DELIVERED);
    scene.memory.settled(scene.takeOutcomes());
    assertThat(keeper.runOnce().done()).isPositive();
    assertThat(keeper.hasLeft()).isTrue();
    assertThat(tables.instances).isEmpty();
  }

  @Test
  void whatWasBeingTakenWhenTheStopBeganIsReleasedToo() {
    tables.whenTaking = keeper::beginStop;
    passes();
    load();
    passes();
    assertThat(keeper.hasLeft()).isTrue();
    assertThat(tables.instances).isEmpty();
  }

  @Test
  void othersAreToldThatARelayWantsNothingAnyMoreThoughItReleasesNothingYet() {
    passes();
    load();
    for (int i = 0; i < 4; i++) {
      scene.read(message(i, 1, "a"));
      scene.take("mailer");
    }
    keeper.beginStop();
    told.clear();
    keeper.runOnce();
    assertThat(told).containsExactly("others");
  }

  @Test
  void othersAreToldThatARelayWithoutPartitionsHasLeft() {
    RelayIdentity other = tables.joined("b");
    for (int i = 0; i < 4; i++) {
      tables.owns(i, other);
    }
    passes();
    keeper.beginStop();
    told.clear();
    passes();
    assertThat(told).containsExactly("others");
    assertThat(tables.instances).containsOnlyKeys(other);
  }

  @Test
  void aRelayThatStopsKeepsItsLeaseUntilItHasLeft() {
    passes();
    load();
    scene.read(message(2, 1, "a"));
    scene.take("mailer");
    keeper.beginStop();
    scene.pass(HEARTBEAT);
    passes();
    assertThat(tables.heartbeats).isOne();
  }

  @Test
  void aRelayThatStopsBeforeItHasJoinedHasLeft() {
    keeper.beginStop();
    keeper.runOnce();
    assertThat(keeper.hasLeft()).isTrue();
    assertThat(tables.instances).isEmpty();
  }

  @Test
  void nothingIsTakenAfterTheStop() {
    RelayMemory memory = scene.memory;
    keeper.beginStop();
    passes();
    passes();
    assertThat(memory.partitions().epochs()).isEmpty();
    assertThat(tables.surveys).isZero();
  }
}
