/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.fault.CountingRelay.Report;
import io.posthorn.jdbc.fault.CountingRelay.Trouble;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * While an old snapshot is open, a relay's first reads do not walk over the rows that were
 * delivered since: a fresh message comes at once, however many those are, and whatever timeouts
 * there are.
 *
 * <p>Time counts from when the relay took the message's partition, as its listener is told. How
 * many index entries its reads have met is counted by the server, when the relay's sessions have
 * ended.
 */
class RestartDbTest {
  private static final Duration AT_ONCE = Duration.ofSeconds(1);
  private static final long FEW = DeadRows.COUNT / 4;

  private static DeadRows deadRows;
  private static LiveDatabase database;
  private static final Await AWAIT = new Await(() -> database.describe());

  @BeforeAll
  static void deliverThemAll() throws Exception {
    deadRows = new DeadRows();
    database = deadRows.database();
    deadRows.insert(DeadRows.COUNT);
    try (TimedRelay relay = TimedRelay.start(database, "first")) {
      AWAIT.untilReached("delivered", DeadRows.COUNT, relay::bulk);
      AWAIT.until("settled", relay::idle);
    }
  }

  @AfterAll
  static void stop() throws Exception {
    deadRows.close();
  }

  @Test
  void newOwnerAfterACleanStopDeliversAtOnce() throws Exception {
    UUID fresh = deadRows.publish("fresh");
    long before = entriesRead();
    try (TimedRelay next = TimedRelay.start(database, "next")) {
      AWAIT.until("delivered", () -> next.has(fresh));
      assertThat(next.fromTaking(fresh)).isLessThan(AT_ONCE);
    }
    assertWalkedOverFew("next", before);
  }

  /** What it delivered in its last seconds may have to be passed again. */
  @Test
  void newOwnerAfterAKillDeliversAtOnce() throws Exception {
    int more = DeadRows.COUNT / 3;
    try (SecondJvm killed =
        SecondJvm.start(
            CountingRelay.class,
            database.url(),
            "killed",
            Long.toString(32L << 20),
            Trouble.NONE.name())) {
      deadRows.insert(more);
      AWAIT.untilReached("delivered", more, () -> Report.of(killed).delivered());
      serveForAWhile(killed);
    }
    UUID fresh = deadRows.publish("fresh");
    AWAIT.until("its sessions have ended", () -> deadRows.sessions("killed") == 0);
    long before = entriesRead();
    try (TimedRelay successor = TimedRelay.start(database, "successor")) {
      AWAIT.until("delivered", () -> successor.has(fresh));
      assertThat(successor.fromTaking(fresh)).isLessThan(AT_ONCE);
    }
    assertWalkedOverFew("successor", before);
  }

  /** Some seconds, in which a message comes now and then. */
  private static void serveForAWhile(SecondJvm relay) throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
    while (System.nanoTime() < end) {
      long before = Report.of(relay).delivered();
      deadRows.publish("now and then");
      AWAIT.until("delivered", () -> Report.of(relay).delivered() > before);
    }
  }

  @Test
  void readThatFailedIsRepeatedWhereItBegan() throws Exception {
    long before = entriesRead();
    try (TimedRelay relay = TimedRelay.start(database, "broken")) {
      UUID first = deadRows.publish("first");
      AWAIT.until("delivered", () -> relay.has(first));
      deadRows.terminate("broken");
      long terminated = System.nanoTime();
      UUID fresh = deadRows.publish("fresh");
      AWAIT.until("delivered", () -> relay.has(fresh));
      assertThat(relay.since(terminated, fresh)).isLessThan(AT_ONCE);
    }
    assertWalkedOverFew("broken", before);
  }

  @Test
  void statementTimeoutOfTheRoleIsLongEnough() throws Exception {
    UUID fresh = deadRows.publish("fresh");
    long before = entriesRead();
    deadRows.limitStatements("500ms");
    try (TimedRelay hurried = TimedRelay.start(database, "hurried")) {
      AWAIT.until("delivered", () -> hurried.has(fresh));
      assertThat(hurried.fromTaking(fresh)).isLessThan(AT_ONCE);
    } finally {
      deadRows.limitStatements("0");
    }
    assertWalkedOverFew("hurried", before);
  }

  private static long entriesRead() {
    return deadRows.entriesRead("outbox_message");
  }

  private static void assertWalkedOverFew(String relay, long before) {
    AWAIT.until("its sessions have ended", () -> deadRows.sessions(relay) == 0);
    assertThat(entriesRead() - before).as("index entries met").isLessThan(FEW);
  }
}
