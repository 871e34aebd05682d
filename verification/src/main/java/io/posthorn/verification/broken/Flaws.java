/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.broken;

import io.posthorn.DestinationDownException;
import io.posthorn.internal.memory.DueIntake;
import io.posthorn.internal.memory.LaneEntry;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.TransactionCallbacks;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.jspecify.annotations.Nullable;

/** Code that becomes a part of the engine's methods; it is never called here. */
@SuppressWarnings({
  "UnusedVariable",
  "ParameterReassigned"
}) // writes to parameters reach the method
final class Flaws {

  private Flaws() {}

  /** A roll-back commits. */
  static final class RollbackCommits {
    private RollbackCommits() {}

    @Advice.OnMethodEnter
    static void enter(
        @Advice.AllArguments Object[] savepoint,
        @Advice.FieldValue("connection") Connection connection,
        @Advice.FieldValue(value = "transaction", typing = Assigner.Typing.DYNAMIC)
            @Nullable TransactionCallbacks transaction)
        throws SQLException {
      if (savepoint.length == 0 && transaction != null) {
        transaction.runBeforeCommit();
        connection.commit();
      }
    }
  }

  /** A roll-back to a savepoint drops what was published before the savepoint too. */
  static final class SavepointDropsAll {
    private SavepointDropsAll() {}

    @Advice.OnMethodExit
    static void exit(
        @Advice.FieldValue("messages") List<NewMessage> messages,
        @Advice.FieldValue("written") int written) {
      messages.subList(written, messages.size()).clear();
    }
  }

  /** The floor for the next owner is that of the reads. */
  static final class FloorPassesMemory {
    private FloorPassesMemory() {}

    @Advice.OnMethodExit
    static void exit(
        @Advice.FieldValue("floor") long floor, @Advice.Return(readOnly = false) long returned) {
      returned = floor;
    }
  }

  /** There is never anything to read. */
  static final class NothingDue {
    private NothingDue() {}

    @Advice.OnMethodExit
    static void exit(@Advice.Return(readOnly = false) Optional<DueIntake.Plan> returned) {
      returned = Optional.empty();
    }
  }

  /** A partition that is drained counts as empty at once. */
  static final class DrainedAtOnce {
    private DrainedAtOnce() {}

    @Advice.OnMethodExit
    static void exit(
        @Advice.FieldValue(value = "state", typing = Assigner.Typing.DYNAMIC) Object state,
        @Advice.Return(readOnly = false) boolean returned) {
      returned = state.toString().equals("DRAINING");
    }
  }

  /** The method does what it does, and says yes. */
  static final class SaysYes {
    private SaysYes() {}

    @Advice.OnMethodExit
    static void exit(@Advice.Return(readOnly = false) boolean returned) {
      returned = true;
    }
  }

  /** Entries of a lane stand in the order of their seqs, whatever is stored of them. */
  static final class SeqDecides {
    private SeqDecides() {}

    @Advice.OnMethodExit
    static void exit(
        @Advice.Argument(0) LaneEntry entry,
        @Advice.Argument(1) LaneEntry queued,
        @Advice.Return(readOnly = false) boolean returned) {
      returned = entry.message().seq() < queued.message().seq();
    }
  }

  /** Of several outcomes the first is not stored. */
  static final class FirstOutcomeDropped {
    private FirstOutcomeDropped() {}

    @Advice.OnMethodEnter
    static void enter(
        @Advice.Argument(value = 2, readOnly = false) List<Settlement.Ready> delivered) {
      if (delivered.size() > 3) {
        delivered = delivered.subList(1, delivered.size());
      }
    }
  }

  /** Whatever fails may be passed. */
  static final class EverythingPasses {
    private EverythingPasses() {}

    @Advice.OnMethodExit
    static void exit(
        @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Fate returned) {
      if (returned instanceof Fate.Deferred) {
        Fate.Deferred fate = (Fate.Deferred) returned;
        returned =
            new Fate.Deferred(fate.reason(), fate.attempts(), fate.dueIn(), fate.error(), true);
      }
    }
  }

  /** What only waits counts as tried. */
  static final class WaitingCounts {
    private WaitingCounts() {}

    @Advice.OnMethodEnter
    static void enter(
        @Advice.Argument(0) DeferReason reason,
        @Advice.Argument(value = 1, readOnly = false) int attempts) {
      if (reason == DeferReason.HELD || reason == DeferReason.WAITING) {
        attempts = attempts + 1;
      }
    }
  }

  /** A destination that is down is a reason to give up. */
  static final class DownGivesUp {
    private DownGivesUp() {}

    @Advice.OnMethodExit
    static void exit(
        @Advice.Argument(2) Throwable cause,
        @Advice.Return(readOnly = false) Optional<Duration> returned) {
      if (cause instanceof DestinationDownException) {
        returned = Optional.empty();
      }
    }
  }

  /** Whatever fails in a transaction, the database counts as unavailable. */
  static final class EverythingIsAnOutage {
    private EverythingIsAnOutage() {}

    @Advice.OnMethodExit
    static void exit(
        @Advice.Argument(0) Throwable cause, @Advice.Return(readOnly = false) Throwable returned) {
      returned = new DestinationDownException("it may be an outage", cause);
    }
  }

  /** There is always one attempt more. */
  static final class NeverGivesUp {
    private NeverGivesUp() {}

    @Advice.OnMethodExit
    static void exit(@Advice.Return(readOnly = false) Optional<Duration> returned) {
      returned = Optional.of(Duration.ofMillis(200));
    }
  }

  /** A dead letter's lane stays blocked. */
  static final class AlwaysBlocks {
    private AlwaysBlocks() {}

    @Advice.OnMethodEnter
    static void enter(@Advice.Argument(value = 2, readOnly = false) boolean blocksLane) {
      blocksLane = true;
    }
  }

  /** The room of a message is not given back while much is in memory. */
  static final class RoomIsLost {
    private RoomIsLost() {}

    @Advice.OnMethodEnter
    static void enter(
        @Advice.FieldValue(value = "messages", readOnly = false) int messages,
        @Advice.FieldValue("bytes") long bytes) {
      if (bytes > 1 << 16) {
        messages++;
      }
    }
  }

  /** The outcome is not stored with the handler's work, and the relay is told that it was. */
  static final class NothingStored {
    private NothingStored() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter() {
      return true;
    }

    @Advice.OnMethodExit
    static void exit(@Advice.Return(readOnly = false) MessageStore.Settled returned) {
      returned = MessageStore.Settled.DONE;
    }
  }

  /** What is done in a transaction is settled like anything else, later. */
  static final class SettledLater {
    private SettledLater() {}

    @Advice.OnMethodExit
    static void exit(
        @Advice.This(typing = Assigner.Typing.DYNAMIC) Object attempt,
        @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object returned) {
      returned = attempt;
    }
  }

  /** A handler's transaction commits though the handler has failed. */
  static final class FailureCommits {
    private FailureCommits() {}

    @Advice.OnMethodExit(onThrowable = RuntimeException.class)
    static void exit(
        @Advice.Thrown(readOnly = false, typing = Assigner.Typing.DYNAMIC)
            @Nullable Throwable thrown,
        @Advice.Return(readOnly = false) boolean returned) {
      thrown = null;
      returned = true;
    }
  }

  /** Dead letters are deleted by age, and nobody is told. */
  static final class DeadLettersPurged {
    private DeadLettersPurged() {}

    @Advice.OnMethodEnter
    static void enter(@Advice.Argument(0) Connection connection) throws SQLException {
      Statement statement = connection.createStatement();
      statement.execute("DELETE FROM outbox_dead WHERE died_at < now() - interval '2 seconds'");
      statement.close();
    }
  }
}
