/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.broken;

import static io.posthorn.verification.broken.ClassChange.advises;
import static io.posthorn.verification.broken.ClassChange.empties;
import static io.posthorn.verification.broken.ClassChange.omits;
import static io.posthorn.verification.broken.ClassChange.returns;
import static io.posthorn.verification.broken.ClassChange.rewrites;
import static java.util.Objects.requireNonNull;

import io.posthorn.verification.check.Violation;
import io.posthorn.verification.scenario.Scenarios;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The engine with one thing done wrong, and the scenario that should find it first. */
public enum BrokenEngine {
  SAVEPOINT_IS_IGNORED(
      1,
      Scenarios.LATENCY,
      "a roll-back to a savepoint takes nothing back that was published after it",
      empties("io.posthorn.internal.publish.TransactionBuffer", "rolledBackTo")),
  SAVEPOINT_DROPS_ALL(
      1,
      Scenarios.LATENCY,
      "a roll-back to a savepoint drops what was published before it too",
      advises(
          "io.posthorn.internal.publish.TransactionBuffer",
          "rolledBackTo",
          Flaws.SavepointDropsAll.class)),
  ROLLBACK_COMMITS(
      1,
      Scenarios.LATENCY,
      "a roll-back commits",
      advises(
          "io.posthorn.jdbc.internal.TransactionConnection",
          "rollback",
          Flaws.RollbackCommits.class)),

  SPLIT_WRITES_NO_ROWS(
      2,
      Scenarios.LATENCY,
      "a ready row is split, and the others get no rows",
      empties("io.posthorn.jdbc.internal.BulkStatements", "readyToDeferred")),
  DEFERRED_ROWS_ARE_NOT_READ(
      2,
      Scenarios.LATENCY,
      "nobody looks for deferred rows that are due",
      advises("io.posthorn.internal.memory.DueIntake", "planDue", Flaws.NothingDue.class)),
  WINDOW_LEAKS(
      2,
      Scenarios.LATENCY,
      "the window is not freed while it has much in it, until nothing is read any more (C2)",
      advises("io.posthorn.internal.memory.Window", "release", Flaws.RoomIsLost.class)),

  RELEASE_BEFORE_SETTLE(
      3,
      Scenarios.ROLLING,
      "a partition is released before its outcomes are stored",
      advises("io.posthorn.internal.memory.HeldPartition", "isDrained", Flaws.DrainedAtOnce.class)),
  KNOWN_ROWS_ENTER_AGAIN(
      3,
      Scenarios.LATENCY,
      "reads return rows that are in memory, and they are taken again",
      empties("io.posthorn.internal.memory.HeldPartition", "addKnown"),
      advises("io.posthorn.internal.memory.HeldPartition", "enter", Flaws.SaysYes.class)),
  OUTCOME_IS_DROPPED(
      3,
      Scenarios.LATENCY,
      "of several outcomes the first is not stored",
      advises(
          "io.posthorn.jdbc.internal.SettleStatements",
          "deleteDelivered",
          Flaws.FirstOutcomeDropped.class)),
  RETRY_GOES_BEFORE_NOTED(
      3,
      Scenarios.RELAPSE,
      "a retry is queued before the message of which it is stored that it is delivered next",
      advises("io.posthorn.internal.memory.Lane", "goesBefore", Flaws.SeqDecides.class)),
  SHORT_LEASES(
      3,
      Scenarios.LATENCY,
      "relays are expelled when a fifth of their leases is over (M3)",
      rewrites(
          "io.posthorn.jdbc.internal.LeaseStatements",
          "WHERE good_until < %s",
          "WHERE good_until - lease_ms * interval '0.8 milliseconds' < %s"),
      rewrites(
          "io.posthorn.jdbc.internal.LeaseStatements",
          "CASE WHEN h.good_until >= %s",
          "CASE WHEN h.good_until - h.lease_ms * interval '0.8 milliseconds' >= %s")),

  FAILURE_LEAVES_LANE_OPEN(
      4,
      Scenarios.LATENCY,
      "what is queued behind a message that has failed is delivered",
      empties("io.posthorn.internal.memory.Outflow", "close")),
  READY_OVERTAKES_DEFERRED(
      4,
      Scenarios.LATENCY,
      "a ready row does not join deferred rows of its lane",
      returns("io.posthorn.internal.memory.Lane", "isClosedFor", false)),
  EVERYTHING_PASSES(
      4,
      Scenarios.LATENCY,
      "HOLD is like PASS",
      advises("io.posthorn.internal.deliver.Verdicts", "retrying", Flaws.EverythingPasses.class)),
  DEFERRED_DOES_NOT_WAIT_FOR_READER(
      4,
      Scenarios.RELAPSE,
      "a deferred row is delivered though earlier ready ones have not been read",
      returns("io.posthorn.internal.memory.HeldPartition", "mayDeliverDeferred", true)),
  FLOOR_PASSES_OPEN_TRANSACTION(
      4,
      Scenarios.LATENCY,
      "reads begin above a seq that an open transaction has drawn, which a sweep finds later",
      returns("io.posthorn.internal.memory.Horizon", "hasPassed", true)),
  STORED_FLOOR_PASSES_MEMORY(
      4,
      Scenarios.ALL_KILLED,
      "the next owner reads from above what this one had in memory, which a sweep finds later",
      advises(
          "io.posthorn.internal.memory.HeldPartition",
          "floorToStore",
          Flaws.FloorPassesMemory.class)),

  NO_FENCE(
      5,
      Scenarios.FREEZE,
      "a relay that has been expelled is neither told nor kept from settling",
      advises("io.posthorn.jdbc.internal.LeaseStatements", "heartbeat", Flaws.SaysYes.class),
      returns("io.posthorn.jdbc.internal.Fence", "lockMe", true),
      rewrites(
          "io.posthorn.jdbc.internal.SettleStatements",
          "SELECT 1 AS here FROM %s WHERE id = ? AND incarnation = ? %s",
          "SELECT 1 AS here WHERE ?::text IS NOT NULL AND ?::bigint IS NOT NULL")),
  NO_DEADLINE(
      5,
      Scenarios.PARTITION,
      "a relay does not look at its own deadline",
      returns("io.posthorn.internal.lease.LeaseClock", "young", true)),
  EPOCH_STANDS_STILL(
      5,
      Scenarios.ALL_KILLED,
      "a partition is taken without a new epoch, so that two relays can take it at once",
      rewrites(
          "io.posthorn.jdbc.internal.OwnershipStatements", "epoch = epoch + 1", "epoch = epoch")),
  EXPULSION_IS_NOT_TOLD(
      5,
      Scenarios.FREEZE,
      "a heartbeat does not tell a relay that it has been expelled",
      advises("io.posthorn.jdbc.internal.LeaseStatements", "heartbeat", Flaws.SaysYes.class)),

  DOWN_COUNTS(
      6,
      Scenarios.LATENCY,
      "a destination that is down costs an attempt",
      returns("io.posthorn.internal.deliver.Verdicts", "destinationDown", false)),
  DOWN_GIVES_UP(
      6,
      Scenarios.LATENCY,
      "a message whose destination is down becomes a dead letter",
      returns("io.posthorn.internal.deliver.Verdicts", "destinationDown", false),
      advises("io.posthorn.internal.deliver.RetryPolicies", "delay", Flaws.DownGivesUp.class)),
  WAITING_COUNTS(
      6,
      Scenarios.LATENCY,
      "a message that waits behind another one counts as tried",
      advises(
          "io.posthorn.spi.Fate$Deferred", ClassChange.CONSTRUCTORS, Flaws.WaitingCounts.class)),

  EVERYTHING_IS_AN_OUTAGE(
      7,
      Scenarios.LATENCY,
      "whatever fails in a handler's transaction is an outage of the database (M2)",
      advises(
          "io.posthorn.internal.deliver.InTransaction", "cause", Flaws.EverythingIsAnOutage.class)),
  NEVER_GIVES_UP(
      7,
      Scenarios.LATENCY,
      "a message that always fails is tried for ever",
      advises("io.posthorn.internal.deliver.RetryPolicies", "delay", Flaws.NeverGivesUp.class)),
  NO_TIME_LIMIT(
      7,
      Scenarios.HANG,
      "handlers that hang are not interrupted",
      omits("io.posthorn.internal.deliver.Watchdog", "runOnce", "interruptOverdue")),
  DEAD_LETTER_BLOCKS(
      7,
      Scenarios.LATENCY,
      "a dead letter blocks its lane, whatever the lane policy",
      advises(
          "io.posthorn.spi.Fate$Dead", ClassChange.CONSTRUCTORS + "/3", Flaws.AlwaysBlocks.class)),
  KILLER_IS_NOT_ISOLATED(
      7,
      Scenarios.KILLER,
      "a message that ends its process is delivered as any other",
      returns("io.posthorn.internal.memory.CrashQuarantine", "mayDeliver", true)),

  TRANSACTIONAL_SHARES_ROW(
      8,
      Scenarios.LATENCY,
      "a transactional handler delivers from a row that others share, and takes a row that is not there for committed (C1)",
      omits("io.posthorn.internal.memory.ReadyIntake", "accept", "isTransactional"),
      returns("io.posthorn.internal.memory.LaneEntry", "needsOwnRow", false),
      returns("io.posthorn.internal.memory.LaneEntry", "isCommitInDoubt", true)),
  SETTLED_OUTSIDE(
      8,
      Scenarios.ALL_KILLED,
      "a transactional handler's row is settled after its transaction",
      advises("io.posthorn.jdbc.internal.JdbcStatements", "settle", Flaws.NothingStored.class),
      advises("io.posthorn.internal.deliver.Attempt", "settled/1", Flaws.SettledLater.class)),
  FAILURE_COMMITS(
      8,
      Scenarios.LATENCY,
      "a handler's transaction commits though the handler has failed",
      advises(
          "io.posthorn.internal.deliver.InTransaction$Try",
          "deliverAndSettle",
          Flaws.FailureCommits.class)),
  DELIVERED_TWICE_AND_COMMITTED(
      8,
      Scenarios.LATENCY,
      "rows that are in memory are taken again, and a handler's transaction commits though its row is not there",
      empties("io.posthorn.internal.memory.HeldPartition", "addKnown"),
      advises("io.posthorn.internal.memory.HeldPartition", "enter", Flaws.SaysYes.class),
      advises("io.posthorn.jdbc.internal.SettleStatements", "settleOne", Flaws.SaysYes.class)),
  MISSING_ROW_COMMITS(
      8,
      Scenarios.RESET,
      "a handler's transaction commits though its row is not there",
      advises("io.posthorn.jdbc.internal.SettleStatements", "settleOne", Flaws.SaysYes.class)),

  DEAD_LETTER_IS_NOT_WRITTEN(
      9,
      Scenarios.LATENCY,
      "a message that is given up is deleted",
      rewrites(
          "io.posthorn.jdbc.internal.DeadStatements",
          "handler, died_at) SELECT %%s, %s, ?, ?, %%s, %s FROM %%s%%s",
          "handler, died_at) SELECT %%s, %s, ?, ?, %%s, %s FROM %%s%%s AND 1 = 0")),
  DEAD_LETTERS_ARE_PURGED(
      9,
      Scenarios.LATENCY,
      "dead letters are deleted by age",
      advises(
          "io.posthorn.jdbc.internal.LeaseStatements", "heartbeat", Flaws.DeadLettersPurged.class)),
  RETRIED_LETTER_IS_LOST(
      9,
      Scenarios.LATENCY,
      "a dead letter that an operator retries is deleted",
      rewrites(
          "io.posthorn.jdbc.internal.LetterMoves",
          "  FROM %%s WHERE %%s",
          "  FROM %%s WHERE 1 = 0 AND %%s"));

  private final int promise;
  private final Scenarios scenario;
  private final String title;
  private final List<ClassChange> changes;

  BrokenEngine(int promise, Scenarios scenario, String title, ClassChange... changes) {
    this.promise = promise;
    this.scenario = scenario;
    this.title = title;
    this.changes = List.of(changes);
  }

  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public static Optional<BrokenEngine> named(String label) {
    return Arrays.stream(values()).filter(it -> it.label().equals(label)).findFirst();
  }

  public String title() {
    return title;
  }

  /** The promise of docs/guarantees.md that it breaks. */
  public int promise() {
    return promise;
  }

  /** The scenario that should find it first. */
  public Scenarios scenario() {
    return scenario;
  }

  List<ClassChange> changes() {
    return changes;
  }

  /** What counts as having found it. */
  Set<Violation.Kind> signs() {
    return switch (promise) {
      case 1 -> EnumSet.of(Violation.Kind.PHANTOM, Violation.Kind.LOST);
      case 2, 7 -> EnumSet.of(Violation.Kind.LOST, Violation.Kind.LEFTOVER);
      case 3 ->
          EnumSet.of(Violation.Kind.UNEXPLAINED_DUPLICATE, Violation.Kind.TOO_MANY_DUPLICATES);
      case 4 -> EnumSet.of(Violation.Kind.DISORDER, Violation.Kind.SIDE_BY_SIDE);
      case 5 -> EnumSet.of(Violation.Kind.STALE_EPOCH, Violation.Kind.INTRUSION);
      case 6 -> EnumSet.of(Violation.Kind.FALSE_ATTEMPT, Violation.Kind.WRONG_DEAD_LETTER);
      case 8 ->
          EnumSet.of(
              Violation.Kind.LOST_EFFECT,
              Violation.Kind.REPEATED_EFFECT,
              Violation.Kind.FALSE_EFFECT,
              Violation.Kind.LEFTOVER); // its effect never comes
      default -> EnumSet.of(Violation.Kind.LOST);
    };
  }

  /** Writes the changed classes; put before the engine on a class path, they take its place. */
  void writeTo(Path directory) throws IOException {
    for (Map.Entry<String, byte[]> changed : ClassChange.files(changes).entrySet()) {
      Path file = directory.resolve(changed.getKey().replace('.', '/') + ".class");
      Files.createDirectories(requireNonNull(file.getParent()));
      Files.write(file, changed.getValue());
    }
  }
}
