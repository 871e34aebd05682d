/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of the database, as far as it concerns the outbox: what slows it down, who is behind
 * it, and what to do.
 *
 * @param tables the outbox's tables and their sizes; empty if the database does not tell
 * @param oldest the oldest transaction, snapshot or replication slot because of which the database
 *     keeps rows that were deleted; null if there is none, or it may not be seen
 * @param historyLength how many transactions of MySQL or MariaDB wait to be purged; null elsewhere,
 *     or if it may not be seen
 * @param floorLag how many sequence numbers lie between the last one and the place where reads
 *     begin, in the owned partition that is furthest behind; null if it can't be told
 * @param findings what should be changed, none if all is well
 * @param unseen what could not be asked, and the right that is missing
 * @since 0.1
 */
public record DatabaseHealth(
    List<Table> tables,
    @Nullable Holder oldest,
    @Nullable Long historyLength,
    @Nullable Long floorLag,
    List<Finding> findings,
    List<String> unseen) {
  public DatabaseHealth {
    tables = List.copyOf(tables);
    findings = List.copyOf(findings);
    unseen = List.copyOf(unseen);
  }

  /**
   * One table, its partitions included.
   *
   * @param bytes without its indexes
   * @param rows as the database estimates them
   * @param deadRows deleted or replaced, and not yet vacuumed, as PostgreSQL estimates them; null
   *     elsewhere
   * @param vacuumedAt when a vacuum last ended, by hand or automatic; null if none has
   */
  public record Table(
      String name,
      long bytes,
      long indexBytes,
      long rows,
      @Nullable Long deadRows,
      @Nullable Instant vacuumedAt) {
    public Table {
      requireNonNull(name, "name");
    }
  }

  /**
   * Who keeps the database from removing deleted rows.
   *
   * @param who with what it takes to find it: {@code session 4711 of "report" (application_name
   *     "nightly")}
   * @param age null: it may not be seen
   */
  public record Holder(String who, @Nullable Duration age) {
    public Holder {
      requireNonNull(who, "who");
    }
  }

  /** What a finding is about. */
  public enum Topic {
    /** A transaction or snapshot that has been open for long. */
    OLD_TRANSACTION,
    /** A prepared transaction that nobody has ended. */
    PREPARED_TRANSACTION,
    /** A replication slot without a consumer, or with one that is far behind. */
    REPLICATION_SLOT,
    /** Deleted rows that are not vacuumed. */
    DEAD_ROWS,
    /** Transactions that are not purged. */
    HISTORY_LENGTH,
    /** Reads that begin far behind the last message. */
    FLOOR_LAG,
    /** A setting of the server, the session or a table. */
    SETTING
  }

  /**
   * Something that should be changed.
   *
   * @param found what it is, with names and figures
   * @param advice what to do about it
   */
  public record Finding(Topic topic, String found, String advice) {
    public Finding {
      requireNonNull(topic, "topic");
      requireNonNull(found, "found");
      requireNonNull(advice, "advice");
    }
  }
}
