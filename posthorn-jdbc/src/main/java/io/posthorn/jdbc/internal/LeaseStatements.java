/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.AdminStore.Report;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Relays join, state until when their lease is good, leave, and are expelled when that time has
 * passed. All tables are tiny and read whole.
 *
 * <p>A relay has a row in two tables. The instance row is the fence: settles lock it, expulsion
 * deletes it, and nobody updates it. The heartbeat row says until when the lease is good, by the
 * database's clock. Settles never touch it, so a heartbeat never waits for one, whatever locks the
 * database has. An end that cannot be, because the clock has gone back since it was stated, counts
 * as passed, and the next expulsion puts it right.
 *
 * <p>An expulsion locks the heartbeat row first, then the instance row, and waits for neither. No
 * heartbeat is lost to it:
 *
 * <ul>
 *   <li>one that committed before the expulsion looked is seen;
 *   <li>one that is not committed yet holds the row, which is passed over;
 *   <li>one that committed after the expulsion looked, but before it had the lock: at READ
 *       COMMITTED, which the connection is set to, the database looks at the locked row again, and
 *       its new end has not passed;
 *   <li>one that comes later waits until the expulsion has ended, and then finds no row, so that
 *       the relay knows; or finds it, if the relay was inside a settle and was passed over.
 * </ul>
 */
final class LeaseStatements {
  private static final System.Logger LOGGER = LoggerSource.of("io.posthorn.jdbc");
  private static final long CLOCK_TOLERANCE_MILLIS = 1_000;

  private final Dialect dialect;
  private final SeqDraw draw;
  private final Optional<String> drawIncarnation;
  private final String insertInstance;
  private final String insertHeartbeat;
  private final String heartbeat;
  private final String reports;
  private final String survey;
  private final String lockAhead;
  private final String cutDown;
  private final String lockStale;
  private final String withoutHeartbeat;
  private final String lockInstance;
  private final String retire;
  private final String deleteInstance;
  private final String deleteHeartbeat;
  private final String handlers;
  private final GoneStatements gone;
  private final long leaseMillis;

  /** An instance whose time has passed. */
  private record Stale(RelayIdentity identity, boolean retired) {}

  LeaseStatements(Dialect dialect, Tables tables, Duration lease) {
    this.dialect = dialect;
    this.draw = new SeqDraw(dialect, tables);
    String now = dialect.now();
    String end = dialect.plusMillis(now, "?");
    String byKey = " WHERE id = ? AND incarnation = ?";
    String sameInstance =
        "(SELECT 1 FROM %s i WHERE i.id = ? AND i.incarnation = ?)".formatted(tables.instance());
    String withHeartbeat =
        "%s i LEFT JOIN %s h ON h.id = i.id AND h.incarnation = i.incarnation"
            .formatted(tables.instance(), tables.heartbeat());
    String possible = dialect.plusMillis(now, "(h.lease_ms + " + CLOCK_TOLERANCE_MILLIS + ")");
    String yes = dialect.literal(true);
    String no = dialect.literal(false);
    String said =
        "CASE WHEN h.retired = %s THEN %s ELSE i.handlers END"
            .formatted(yes, dialect.largeText("''"));
    this.leaseMillis = lease.toMillis();
    this.drawIncarnation =
        draw.isNeeded()
            ? Optional.empty()
            : Optional.of(
                "SELECT " + dialect.nextValue(tables.incarnation()) + dialect.fromNothing());
    this.insertInstance =
        "INSERT INTO %s (id, incarnation, joined_at, handlers) VALUES (?, ?, %s, ?)"
            .formatted(tables.instance(), now);
    this.insertHeartbeat =
        "INSERT INTO %s (id, incarnation, good_until, lease_ms, retired) VALUES (?, ?, %s, ?, %s)"
            .formatted(tables.heartbeat(), end, no);
    // An instance row that was deleted by another session ends the lease too.
    this.heartbeat =
        "UPDATE %s SET good_until = %s, report = ?%s AND EXISTS %s"
            .formatted(tables.heartbeat(), end, byKey, sameInstance);
    this.reports =
        "SELECT id, incarnation, good_until, lease_ms, report FROM %s"
            .formatted(tables.heartbeat());
    // One statement, so that all of it is of one moment. Those with a value in each column come
    // first: they fix the types. An instance without a heartbeat has no lease.
    this.survey =
        """
        SELECT 'pause' AS what, 0 AS place, name, 0 AS incarnation, 0 AS epoch, 0 AS crashes, %s AS said, %s AS types, paused_at AS since, 0 AS floor_seq
          FROM %s
        UNION ALL SELECT 'instance', 0, i.id, i.incarnation, %s, CASE WHEN h.good_until >= %s AND h.good_until <= %s THEN 0 ELSE 1 END, %s, NULL, NULL, 0
          FROM %s
        UNION ALL SELECT 'gone', 0, instance_id, incarnation, %s, 0, %s, types, NULL, 0 FROM %s
        UNION ALL SELECT 'partition', partition_no, owner_id, owner_incarnation, epoch, crashes, NULL, NULL, NULL, floor_seq FROM %s
        ORDER BY place
        """
            .formatted(
                dialect.largeText("kind"),
                dialect.largeText("''"),
                tables.pause(),
                dialect.millisUntil("h.good_until"),
                now,
                possible,
                said,
                withHeartbeat,
                dialect.millisUntil("gone_at"),
                dialect.largeText("handler"),
                tables.gone(),
                tables.partition());
    this.lockAhead =
        dialect.lockingQuery(
            "h.id, h.incarnation, h.retired",
            tables.heartbeat() + " h",
            "WHERE h.good_until > " + possible,
            dialect.lockUnlocked());
    this.cutDown =
        "UPDATE %s SET good_until = %s%s"
            .formatted(tables.heartbeat(), dialect.plusMillis(now, "lease_ms"), byKey);
    this.lockStale =
        dialect.lockingQuery(
            "id, incarnation, retired",
            tables.heartbeat(),
            "WHERE good_until < %s".formatted(now),
            dialect.lockUnlocked());
    this.withoutHeartbeat =
        "SELECT i.id, i.incarnation, %s FROM %s WHERE h.id IS NULL".formatted(no, withHeartbeat);
    // A relay inside a settle holds its row; it is passed over and found again at the next survey.
    this.lockInstance =
        dialect.lockingQuery("handlers", tables.instance(), byKey.strip(), dialect.lockUnlocked());
    this.retire =
        "UPDATE %s SET retired = %s%s AND retired = %s"
            .formatted(tables.heartbeat(), yes, byKey, no);
    this.deleteInstance = "DELETE FROM " + tables.instance() + byKey;
    // Unless the instance was passed over.
    this.deleteHeartbeat =
        "DELETE FROM %s%s AND NOT EXISTS (SELECT 1 FROM %s i WHERE i.id = ? AND i.incarnation = ?)"
            .formatted(tables.heartbeat(), byKey, tables.instance());
    this.handlers =
        "SELECT %s FROM %s WHERE i.id = ? AND i.incarnation = ?".formatted(said, withHeartbeat);
    this.gone = new GoneStatements(dialect, tables);
  }

  RelayIdentity join(Connection connection, String id, Map<String, Set<String>> handled)
      throws SQLException {
    RelayIdentity me = new RelayIdentity(id, drawIncarnation(connection));
    try (PreparedStatement insert = connection.prepareStatement(insertInstance)) {
      bind(insert, 1, me);
      insert.setString(3, HandlersText.of(handled));
      insert.executeUpdate();
    }
    try (PreparedStatement insert = connection.prepareStatement(insertHeartbeat)) {
      bind(insert, 1, me);
      insert.setLong(3, leaseMillis);
      insert.setLong(4, leaseMillis);
      insert.executeUpdate();
    }
    return me;
  }

  private long drawIncarnation(Connection connection) throws SQLException {
    if (drawIncarnation.isEmpty()) {
      return draw.next(connection, 1)[0];
    }
    try (PreparedStatement next = connection.prepareStatement(drawIncarnation.get());
        ResultSet row = next.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  boolean heartbeat(Connection connection, RelayIdentity me, String report) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(heartbeat)) {
      update.setLong(1, leaseMillis);
      update.setString(2, report);
      bind(update, 3, me);
      bind(update, 5, me);
      return update.executeUpdate() == 1;
    }
  }

  List<Report> reports(Connection connection) throws SQLException {
    List<Report> found = new ArrayList<>();
    try (PreparedStatement read = connection.prepareStatement(reports);
        ResultSet rows = read.executeQuery()) {
      while (rows.next()) {
        Instant end = Rows.instant(dialect, rows, 3);
        found.add(
            new Report(
                new RelayIdentity(rows.getString(1), rows.getLong(2)),
                end,
                end.minusMillis(rows.getLong(4)),
                rows.getString(5)));
      }
    }
    return found;
  }

  private static void bind(PreparedStatement statement, int first, RelayIdentity me)
      throws SQLException {
    statement.setString(first, me.id());
    statement.setLong(first + 1, me.incarnation());
  }

  private static int update(Connection connection, String sql, RelayIdentity me)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(sql)) {
      bind(update, 1, me);
      return update.executeUpdate();
    }
  }

  FleetSurvey survey(Connection connection) throws SQLException {
    List<PartitionOwner> partitions = new ArrayList<>();
    List<LiveInstance> instances = new ArrayList<>();
    Set<FleetSurvey.Pause> pauses = new HashSet<>();
    List<FleetSurvey.Gone> former = new ArrayList<>();
    long untilStale = leaseMillis;
    try (PreparedStatement read = connection.prepareStatement(survey);
        ResultSet rows = read.executeQuery()) {
      while (rows.next()) {
        switch (rows.getString(1)) {
          case "pause" -> PauseStatements.pause(dialect, rows, 7, 3, 9).ifPresent(pauses::add);
          case "instance" -> {
            LiveInstance instance = instance(rows);
            instances.add(instance);
            if (!instance.stale()) {
              untilStale = Math.min(untilStale, Math.max(0, rows.getLong(5)));
            }
          }
          case "gone" -> former.add(gone(rows));
          default -> partitions.add(partition(rows));
        }
      }
    }
    return new FleetSurvey(partitions, instances, pauses, Duration.ofMillis(untilStale), former);
  }

  private static FleetSurvey.Gone gone(ResultSet row) throws SQLException {
    return new FleetSurvey.Gone(
        row.getString(7),
        new RelayIdentity(row.getString(3), row.getLong(4)),
        HandlersText.parseTypes(textOf(row, 8)),
        Duration.ofMillis(-row.getLong(5)));
  }

  private static LiveInstance instance(ResultSet row) throws SQLException {
    return new LiveInstance(
        new RelayIdentity(row.getString(3), row.getLong(4)),
        HandlersText.parse(textOf(row, 7)),
        row.getInt(6) == 1);
  }

  /** Oracle has no empty text. */
  private static String textOf(ResultSet row, int column) throws SQLException {
    return Objects.requireNonNullElse(row.getString(column), "");
  }

  private static PartitionOwner partition(ResultSet row) throws SQLException {
    String owner = row.getString(3);
    RelayIdentity identity = owner == null ? null : new RelayIdentity(owner, row.getLong(4));
    return new PartitionOwner(
        row.getInt(2), identity, row.getLong(5), row.getInt(6), row.getLong(10));
  }

  List<RelayIdentity> expelStale(Connection connection, RelayIdentity me) throws SQLException {
    cutDownEnds(connection);
    List<Stale> found = new ArrayList<>(stale(connection, lockStale));
    found.addAll(stale(connection, withoutHeartbeat));
    List<RelayIdentity> expelled = new ArrayList<>();
    for (Stale stale : found) {
      if (!stale.identity.equals(me) && expel(connection, stale)) {
        expelled.add(stale.identity);
      }
    }
    return expelled;
  }

  /**
   * An end that is further ahead than a lease is long was stated before the database's clock went
   * back. Counted from now, it passes as late as the relay itself, which measures time on its own,
   * believes in it.
   */
  private void cutDownEnds(Connection connection) throws SQLException {
    for (Stale ahead : stale(connection, lockAhead)) {
      update(connection, cutDown, ahead.identity);
      LOGGER.log(
          System.Logger.Level.WARNING,
          "the database''s clock has gone back: the lease of \"{0}\" ended further ahead than it is long, and is counted from now",
          ahead.identity);
    }
  }

  private static List<Stale> stale(Connection connection, String sql) throws SQLException {
    List<Stale> found = new ArrayList<>();
    try (PreparedStatement read = connection.prepareStatement(sql);
        ResultSet rows = read.executeQuery()) {
      while (rows.next()) {
        found.add(
            new Stale(new RelayIdentity(rows.getString(1), rows.getLong(2)), rows.getBoolean(3)));
      }
    }
    return found;
  }

  private boolean expel(Connection connection, Stale stale) throws SQLException {
    String had = text(connection, lockInstance, stale.identity);
    if (had != null) {
      update(connection, deleteInstance, stale.identity);
      gone.insert(connection, stale.identity, HandlersText.parse(stale.retired ? "" : had));
    }
    deleteHeartbeat(connection, stale.identity);
    return had != null;
  }

  private void deleteHeartbeat(Connection connection, RelayIdentity of) throws SQLException {
    try (PreparedStatement delete = connection.prepareStatement(deleteHeartbeat)) {
      bind(delete, 1, of);
      bind(delete, 3, of);
      delete.executeUpdate();
    }
  }

  private static @Nullable String text(Connection connection, String sql, RelayIdentity me)
      throws SQLException {
    try (PreparedStatement read = connection.prepareStatement(sql)) {
      bind(read, 1, me);
      try (ResultSet row = read.executeQuery()) {
        return row.next() ? textOf(row, 1) : null;
      }
    }
  }

  void retire(Connection connection, RelayIdentity me) throws SQLException {
    noteGone(connection, me, retire);
  }

  void leave(Connection connection, RelayIdentity me) throws SQLException {
    noteGone(connection, me, deleteInstance);
    deleteHeartbeat(connection, me);
  }

  /** Whoever changes the row notes the handlers, so that they are noted once. */
  private void noteGone(Connection connection, RelayIdentity me, String change)
      throws SQLException {
    String had = text(connection, handlers, me);
    if (update(connection, change, me) == 1 && had != null) {
      gone.insert(connection, me, HandlersText.parse(had));
    }
  }

  void forget(Connection connection, Collection<FleetSurvey.Gone> noted) throws SQLException {
    gone.delete(connection, noted);
  }
}
