/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.fault.TimedRelay.Mood;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * While an old snapshot is open, a relay's first reads do not walk over the deferred rows that were
 * delivered since: what is due comes at once. As {@link RestartDbTest}, for the other table.
 */
class RestartWithDeferredRowsDbTest {
  private static final Duration AT_ONCE = Duration.ofSeconds(1);
  private static final int COUNT = Math.min(DeadRows.COUNT / 6, 1_000_000);

  /**
   * However many rows are dead: a relay leaves fewer than these behind in a partition before it
   * raises the floor. How many reads there are depends on the machine, so each of them counts.
   */
  private static final int MAX_ENTRIES_PER_SCAN = 100;

  private static final int ENTRIES_PER_MESSAGE = 100;

  private static DeadRows deadRows;
  private static LiveDatabase database;
  private static final Await AWAIT = new Await(() -> database.describe());

  private UUID due;
  private UUID fresh;
  private long entriesBefore;
  private long scansBefore;
  private List<String> indexesBefore;

  @BeforeAll
  static void deferAndDeliverThemAll() throws Exception {
    deadRows = new DeadRows();
    database = deadRows.database();
    deadRows.insert(COUNT);
    try (TimedRelay relay = TimedRelay.startWithLedger(database, "first", Mood.DOWN)) {
      AWAIT.untilReached("met by the other handler", COUNT, relay::bulkOfLedger);
      relay.recover();
      AWAIT.untilReached("delivered", COUNT, relay::bulk);
      AWAIT.until("settled", relay::idle);
    }
    assertThat(
            database.number(
                "SELECT n_tup_del FROM pg_stat_user_tables WHERE relname = 'outbox_deferred'"))
        .as("rows that were deferred")
        .isGreaterThan(COUNT / 2);
    AWAIT.until("its sessions have ended", () -> deadRows.sessions("first") == 0);
    assertThat(deadRows.entriesRead("outbox_deferred"))
        .as("index entries met while they were deferred and delivered: %s", entriesByIndex())
        .isLessThan((long) ENTRIES_PER_MESSAGE * COUNT);
  }

  @AfterAll
  static void stop() throws Exception {
    deadRows.close();
  }

  /** One has failed and is due by now, one was published while no relay runs. */
  @BeforeEach
  void leaveTwoMessages() throws Exception {
    try (TimedRelay relay = TimedRelay.startWithLedger(database, "failing", Mood.REFUSES_ALL)) {
      due = deadRows.publish("due");
      AWAIT.until("deferred", () -> dueRows("due_at IS NOT NULL") == 1 && relay.idle());
    }
    AWAIT.until("due", () -> dueRows("due_at < clock_timestamp()") == 1);
    fresh = deadRows.publish("fresh");
    AWAIT.until("its sessions have ended", () -> deadRows.sessions("failing") == 0);
    entriesBefore = deadRows.entriesRead("outbox_deferred");
    scansBefore = scans();
    indexesBefore = entriesByIndex();
  }

  private static long dueRows(String where) {
    return database.number("SELECT count(*) FROM outbox_deferred WHERE " + where);
  }

  @Test
  void newOwnerAfterACleanStopDeliversAtOnce() throws Exception {
    try (TimedRelay next = TimedRelay.startWithLedger(database, "next", Mood.TAKES_ALL)) {
      assertBothComeAtOnce(next);
    }
    assertWalkedOverFew("next");
  }

  @Test
  void readThatFailedIsRepeatedWhereItBegan() throws Exception {
    try (TimedRelay relay = TimedRelay.startWithLedger(database, "broken", Mood.TAKES_ALL)) {
      assertBothComeAtOnce(relay);
      deadRows.terminate("broken");
      long terminated = System.nanoTime();
      UUID next = deadRows.publish("fresh");
      AWAIT.until("delivered", () -> relay.has(next));
      assertThat(relay.since(terminated, next)).isLessThan(AT_ONCE);
    }
    assertWalkedOverFew("broken");
  }

  @Test
  void statementTimeoutOfTheRoleIsLongEnough() throws Exception {
    deadRows.limitStatements("500ms");
    try (TimedRelay hurried = TimedRelay.startWithLedger(database, "hurried", Mood.TAKES_ALL)) {
      assertBothComeAtOnce(hurried);
    } finally {
      deadRows.limitStatements("0");
    }
    assertWalkedOverFew("hurried");
  }

  private void assertBothComeAtOnce(TimedRelay relay) {
    AWAIT.until("delivered", () -> relay.has(due) && relay.has(fresh));
    assertThat(relay.fromTaking(due)).isLessThan(AT_ONCE);
    assertThat(relay.fromTaking(fresh)).isLessThan(AT_ONCE);
  }

  private static List<String> entriesByIndex() {
    return database.list(
        "SELECT indexrelname || ' ' || idx_scan || ' scans, ' || idx_tup_read || ' entries' FROM pg_stat_user_indexes WHERE relname = 'outbox_deferred'");
  }

  /** Of the index that due rows are found by. */
  private static long scans() {
    return database.number(
        "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'outbox_deferred_due_ix'");
  }

  private void assertWalkedOverFew(String relay) {
    AWAIT.until("its sessions have ended", () -> deadRows.sessions(relay) == 0);
    assertThat(deadRows.entriesRead("outbox_deferred") - entriesBefore)
        .as("index entries met; before: %s, in all: %s", indexesBefore, entriesByIndex())
        .isLessThan(MAX_ENTRIES_PER_SCAN * (scans() - scansBefore));
  }
}
