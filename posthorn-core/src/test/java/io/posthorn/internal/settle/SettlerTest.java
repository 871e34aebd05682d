/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.settle;

import static io.posthorn.internal.memory.MemoryScene.RETRY;
import static io.posthorn.internal.memory.MemoryScene.handler;
import static io.posthorn.internal.memory.MemoryScene.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptionsFixture;
import io.posthorn.internal.lease.FleetTables;
import io.posthorn.internal.lease.LeaseKeeper;
import io.posthorn.internal.memory.MemoryScene;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.internal.run.RecordingLogger;
import io.posthorn.internal.run.RelayLog;
import io.posthorn.spi.Duty.StepResult;
import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.StoreException.Kind;
import io.posthorn.spi.StoredMessage;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of outcomes, by what the database says to them. */
class SettlerTest {
  private static final int BATCH = 4;

  private final FleetTables tables = new FleetTables(1);
  private final List<String> events = new ArrayList<>();
  private final List<List<Long>> tried = new ArrayList<>();
  private final Set<Long> culprits = new HashSet<>();
  private final RecordingLogger failures = new RecordingLogger();
  private final RelayLog log = new RelayLog();
  private Kind failure = Kind.UNKNOWN;
  private MemoryScene scene;
  private LeaseKeeper keeper;
  private Settler settler;
  private int settled;

  @BeforeEach
  void begin() {
    begin(handler("mailer"));
  }

  private void begin(HandlerSpec<?>... specs) {
    scene = new MemoryScene(specs);
    FailureLog failureLog = new FailureLog(failures, "a", () -> scene.now);
    Listeners listeners = new Listeners(List.of(new Events()), failureLog);
    keeper =
        new LeaseKeeper(
            "a",
            tables,
            scene.memory,
            listeners,
            new LeaseKeeper.Setting(
                RelayOptionsFixture.standard(),
                () -> scene.now,
                Clock.fixed(Instant.EPOCH, ZoneOffset.UTC),
                Map.of("mailer", Set.of("order")),
                () -> "",
                () -> true,
                () -> {},
                () -> {},
                () -> {},
                () -> {}));
    settler =
        new Settler(
            tables,
            scene.memory,
            keeper,
            listeners,
            new Settler.Setting(BATCH, () -> scene.now, failureLog, () -> settled++));
    tables.settles(this::store);
    keeper.runOnce();
    scene.holdAs(me(), 0);
  }

  @AfterEach
  void close() {
    log.close();
  }

  private RelayIdentity me() {
    return keeper.identity().orElseThrow();
  }

  private boolean store(Settlement settlement) {
    List<Long> seqs =
        Stream.concat(
                settlement.ready().stream().map(Settlement.Ready::seq),
                settlement.deferred().stream().map(Settlement.Deferred::seq))
            .toList();
    tried.add(seqs);
    if (seqs.stream().anyMatch(culprits::contains)) {
      throw new StoreException(failure, "no", null);
    }
    return true;
  }

  private final class Events implements RelayListener {
    @Override
    public void settled(int outcomes) {
      events.add("settled " + outcomes);
    }

    @Override
    public void dead(StoredMessage message, String handler, Fate.Dead fate) {
      events.add("dead " + message.seq() + " " + handler + ": " + fate.error());
    }
  }

  private void deliver(int from, int to) {
    scene.read(
        LongStream.rangeClosed(from, to)
            .mapToObj(seq -> message(seq, "k" + seq))
            .toArray(StoredMessage[]::new));
    for (int i = from; i <= to; i++) {
      scene.deliver("mailer");
    }
  }

  /** Passes until there is nothing to do for now; when the next one is due. */
  private Duration passes() {
    for (int i = 0; i < 50; i++) {
      StepResult step = settler.runOnce();
      if (!step.nextIn().isZero()) {
        return step.nextIn();
      }
    }
    throw new AssertionError("it does not come to rest");
  }

  @Test
  void withoutOutcomesItRestsForASecond() {
    assertThat(passes()).isEqualTo(Duration.ofSeconds(1));
    assertThat(tried).isEmpty();
    assertThat(settler.name()).isEqualTo("settle");
  }

  @Test
  void outcomesAreStoredInGroupsAndLeaveTheMemory() {
    deliver(1, 6);
    assertThat(settler.runOnce()).isEqualTo(StepResult.again(4));
    assertThat(events).containsExactly("settled 4");
    assertThat(settled).isOne();
    passes();
    assertThat(tried).containsExactly(List.of(1L, 2L, 3L, 4L), List.of(5L, 6L));
    assertThat(scene.memory.isEmpty()).isTrue();
    assertThat(events).containsExactly("settled 4", "settled 2");
    assertThat(settled).isEqualTo(2);
  }

  @Test
  void listenersAreToldOfDeadLettersOnceTheyAreStored() {
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), new Fate.Dead(3, "broken"));
    assertThat(events).isEmpty();
    passes();
    assertThat(events).containsExactly("dead 1 mailer: broken", "settled 1");
  }

  // --- the lease

  @Test
  void pastTheLeaseNothingIsStoredUntilAHeartbeatWorks() {
    deliver(1, 1);
    scene.pass(Duration.ofSeconds(27));
    assertThat(settler.runOnce()).isEqualTo(new StepResult(0, Duration.ofMillis(50)));
    assertThat(tried).isEmpty();
    keeper.runOnce();
    passes();
    assertThat(tried).containsExactly(List.of(1L));
  }

  @Test
  void outcomesOfAnEarlierLifeAreDropped() {
    deliver(1, 2);
    scene.pass(Duration.ofSeconds(27));
    settler.runOnce(); // they wait
    keeper.expelled(me());
    assertThat(passes()).isEqualTo(Duration.ofSeconds(1));
    assertThat(tried).isEmpty();
    assertThat(settled).isZero();
  }

  @Test
  void aSettleThatFindsTheRelayExpelledEndsItsLife() {
    deliver(1, 1);
    tables.expel(me());
    passes();
    assertThat(keeper.identity()).isEmpty();
    assertThat(keeper.leaseValid()).isFalse();
    assertThat(scene.memory.isEmpty()).isTrue();
    assertThat(events).isEmpty();
  }

  // --- the database is away

  @Test
  void whileTheDatabaseIsAwayAGroupIsKeptAndTriedFirst() {
    deliver(1, 2);
    culprits.add(1L);
    failure = Kind.UNAVAILABLE;
    assertThatThrownBy(settler::runOnce).isInstanceOf(StoreException.class);
    deliver(3, 3);
    assertThatThrownBy(settler::runOnce).isInstanceOf(StoreException.class);
    culprits.clear();
    passes();
    assertThat(tried)
        .containsExactly(List.of(1L, 2L), List.of(1L, 2L), List.of(1L, 2L), List.of(3L));
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  // --- the database refuses the content

  @Test
  void anOutcomeThatIsRefusedIsFoundByHalvesAndGivenUp() {
    deliver(1, 4);
    culprits.add(3L);
    failure = Kind.CONTENT;
    passes();
    assertThat(tried)
        .containsExactly(
            List.of(1L, 2L, 3L, 4L), List.of(1L, 2L), List.of(3L, 4L), List.of(3L), List.of(4L));
    assertThat(events).containsExactly("settled 2", "settled 1");
    assertThat(log.lines())
        .filteredOn(line -> line.startsWith("SEVERE"))
        .singleElement()
        .asString()
        .startsWith("SEVERE [a] the database refuses the outcome of message")
        .contains("(partition 0, seq 3)");
    assertThat(scene.memory.isEmpty()).isTrue();
    scene.read(message(3, "k3"));
    assertThat(scene.hasWork("mailer")).as("it is not read again").isFalse();
  }

  // --- anything else

  @Test
  void anOutcomeThatIsNotStoredIsFoundByHalvesWhileOthersGoOn() {
    deliver(1, 4);
    culprits.add(2L);
    assertThat(passes()).isEqualTo(Duration.ofMillis(50));
    deliver(5, 5);
    assertThat(passes()).isEqualTo(Duration.ofMillis(50));
    assertThat(tried).containsExactly(List.of(1L, 2L, 3L, 4L), List.of(5L));
    scene.pass(Duration.ofMillis(50));
    passes();
    scene.pass(Duration.ofMillis(50));
    passes();
    assertThat(tried.subList(2, tried.size()))
        .containsExactly(List.of(1L, 2L), List.of(1L), List.of(2L));
    scene.pass(Duration.ofMillis(50));
    assertThat(passes()).isEqualTo(Duration.ofMillis(950));
    assertThat(tried).last().isEqualTo(List.of(3L, 4L));
    assertThat(events).containsExactly("settled 1", "settled 1", "settled 2");
  }

  @Test
  void whatCannotBeStoredAloneIsTriedEverySecondAndTold() {
    deliver(1, 1);
    culprits.add(1L);
    passes();
    assertThat(failures.lines())
        .singleElement()
        .asString()
        .contains("duty \"settle again\" fails: the outcome of message")
        .contains("was not stored, it is tried again every second");
    scene.pass(Duration.ofSeconds(1));
    assertThat(passes()).isEqualTo(Duration.ofSeconds(1));
    assertThat(tried).hasSize(2);
    culprits.clear();
    scene.pass(Duration.ofSeconds(1));
    passes();
    assertThat(scene.memory.isEmpty()).isTrue();
    scene.pass(Duration.ofSeconds(5));
    deliver(2, 2);
    passes();
    assertThat(failures.lines()).last().asString().contains("\"settle again\" works again");
  }

  @Test
  void whileSomethingIsSetAsideItsFailureIsNotOver() {
    deliver(1, 1);
    culprits.add(1L);
    passes();
    deliver(2, 2);
    passes();
    assertThat(tried).containsExactly(List.of(1L), List.of(2L));
    assertThat(failures.lines()).hasSize(1);
  }

  @Test
  void aGroupThatIsNotStoredIsToldAsOne() {
    deliver(1, 3);
    culprits.add(1L);
    settler.runOnce();
    assertThat(failures.lines())
        .singleElement()
        .asString()
        .contains("3 outcomes from that of message")
        .contains("were not stored, they are tried again in parts");
  }

  @Test
  void aFailureThatTookLongIsFollowedByALongerPause() {
    deliver(1, 2);
    tables.settles(
        settlement -> {
          scene.pass(Duration.ofMillis(100));
          throw new StoreException(Kind.UNKNOWN, "canceled", null);
        });
    assertThat(passes()).isEqualTo(Duration.ofMillis(400));
  }

  @Test
  void afterSomethingWorkedMoreIsTriedAtOnce() {
    deliver(1, 4);
    culprits.addAll(List.of(1L, 2L, 3L, 4L));
    passes();
    for (int i = 0; i < 10; i++) {
      scene.pass(Duration.ofMillis(50));
      passes();
    }
    culprits.clear();
    tried.clear();
    scene.pass(Duration.ofSeconds(2));
    passes();
    assertThat(tried).hasSize(3);
    assertThat(tried.get(0)).hasSize(1);
    assertThat(tried.get(1)).hasSize(2);
  }

  @Test
  void whatIsStoredWithoutHavingFailedDoesNotWidenTheTries() {
    deliver(1, 4);
    culprits.addAll(List.of(1L, 2L, 3L, 4L));
    passes();
    for (int i = 0; i < 10; i++) {
      scene.pass(Duration.ofMillis(50));
      passes();
    }
    culprits.clear();
    deliver(5, 8);
    passes();
    tried.clear();
    scene.pass(Duration.ofSeconds(2));
    settler.runOnce();
    assertThat(tried.get(0)).hasSize(1);
  }

  @Test
  void outcomesOfRowsWaitForTheMessageThatWasSplitAndGoWithIt() {
    begin(handler("mailer"), handler("audit"));
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), RETRY);
    culprits.add(1L);
    passes();
    scene.deliver("audit");
    scene.read(message(2, "b"));
    scene.deliver("mailer");
    scene.deliver("audit");
    passes();
    assertThat(tried).containsExactly(List.of(1L), List.of(2L));
    culprits.clear();
    scene.pass(Duration.ofSeconds(1));
    passes();
    assertThat(tried).containsExactly(List.of(1L), List.of(2L), List.of(1L), List.of(1L));
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void whereAllThatWaitsIsHeldBackTheNextOnesAreTaken() {
    begin(handler("mailer"), handler("audit").concurrency(1));
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), RETRY);
    culprits.add(1L);
    passes();
    scene.deliver("audit");
    assertThat(passes()).isEqualTo(Duration.ofSeconds(1));
    assertThat(tried).hasSize(1);
  }

  @Test
  void whenASplitMessageIsGivenUpTheOutcomesOfItsRowsGoOn() {
    begin(handler("mailer"), handler("audit"));
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), RETRY);
    culprits.add(1L);
    passes();
    scene.deliver("audit");
    passes();
    failure = Kind.CONTENT;
    scene.pass(Duration.ofSeconds(1));
    passes();
    assertThat(tried).containsExactly(List.of(1L), List.of(1L), List.of(1L));
  }
}
