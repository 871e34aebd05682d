/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something that was done to the fleet, on the machine's clock in milliseconds.
 *
 * @param life whom; null: all of them
 */
public record Fault(Kind kind, @Nullable String life, long from, long to) {
  /** What was done. */
  public enum Kind {
    /** A clean stop. */
    STOP(false, false),
    /** SIGKILL, or a JVM that ends itself. */
    KILL(true, false),
    /** SIGSTOP, then SIGCONT. */
    FREEZE(true, false),
    /** The database was stopped in the orderly way and started again. */
    DATABASE_STOP(true, true),
    /** The database crashed and was started again. */
    DATABASE_CRASH(true, true),
    /** The server ended sessions. */
    TERMINATE(true, true),
    /** Nothing comes through between an instance and the database, in one or both directions. */
    CUT(true, false),
    /** Connections between an instance and the database were reset. */
    RESET(true, false),
    /** Each packet takes its time. */
    LATENCY(false, false),
    /** The program holds all connections of its pool. */
    POOL(false, false),
    /** The database refuses to store outcomes. */
    REFUSED_SETTLES(true, true),
    /** The primary died, and a standby took its place that had all commits. */
    PROMOTION(true, true),
    /** The same with a standby that may have lacked the last commits. */
    LAGGING_PROMOTION(true, true),
    /** A physical copy of the data was brought back; it lasts from the copy to that. */
    RESTORE(true, true),
    /** A session keeps an old snapshot, from here to the end. */
    OLD_SNAPSHOT(false, false),
    /** Another transaction that has written stays open, from here to the end. */
    OPEN_TRANSACTION(false, false),
    /** The same, prepared. */
    PREPARED_TRANSACTION(false, false),
    /**
     * Short timeouts for all statements of the role; all sessions were ended, so that they have
     * them.
     */
    ROLE_TIMEOUTS(true, true),
    /** Another session locked a table. */
    LOCK(false, true),
    /** A table was rewritten, indexed anew or altered. */
    MAINTENANCE(false, false),
    /** Another session took all connections of the server. */
    CONNECTIONS(false, true),
    /** There was no space left for tables. */
    DISK_FULL(true, true),
    /** The pooler before the database was killed and started again. */
    POOLER_KILL(true, true),
    /** The broker that messages are sent to was stopped in the orderly way and started again. */
    BROKER_STOP(false, false),
    /** The broker was killed and started again. */
    BROKER_KILL(false, false),
    /** The broker stood still for a while. */
    BROKER_FREEZE(false, false),
    /** The broker took no messages for a while, as if it were full. */
    BROKER_FULL(false, false),
    /** One topic or exchange took no messages for a while. */
    DESTINATION_CLOSED(false, false);

    private final boolean repeats;
    private final boolean database;

    Kind(boolean repeats, boolean database) {
      this.repeats = repeats;
      this.database = database;
    }

    /** Whether deliveries may be repeated because of it. */
    public boolean repeats() {
      return repeats;
    }

    /** Whether the database may have lost what was committed since it began. */
    public boolean losesCommits() {
      return this == LAGGING_PROMOTION || this == RESTORE;
    }

    /** As an option names it. */
    public String option() {
      return label().replace(' ', '-');
    }

    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** Whether deliveries of a life that were not stored in this span may have been lost by it. */
  boolean explains(String deliveredBy, long delivered, long repeated, long slack) {
    return kind.repeats
        && (life == null || life.equals(deliveredBy))
        && from <= repeated
        && to + slack >= delivered;
  }

  /** From when on a recovery is expected: the database must be back first. */
  long recoveryFrom() {
    return kind.database ? to : from;
  }

  @Override
  public String toString() {
    return "%s of %s from %d to %d".formatted(kind.label(), life == null ? "all" : life, from, to);
  }
}
