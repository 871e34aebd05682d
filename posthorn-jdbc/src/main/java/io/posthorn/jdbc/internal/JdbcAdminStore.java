/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.Admin.ReadyMessage;
import io.posthorn.Admin.Resolution;
import io.posthorn.Admin.Survey;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Original;
import io.posthorn.DatabaseHealth;
import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.FleetSurvey.Paused;
import io.posthorn.spi.LaneId;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What operators ask of the store, each in a transaction of its own, or in one that it was bound
 * to.
 */
final class JdbcAdminStore implements AdminStore {
  private static final String NOT_READ = "Nothing read";
  private static final String NOT_CHANGED = "Nothing changed";

  private final Caller caller;
  private final Dialect dialect;
  private final Tables tables;
  private final AdminQueries queries;
  private final LaneMoves lanes;
  private final LetterMoves letters;
  private final PauseStatements pauses;
  private final GoneStatements gone;
  private final SurveyStatements survey;
  private final ActionStatements actions;
  private final LeaseStatements leases;

  JdbcAdminStore(PooledTransactions transactions, Dialect dialect, Tables tables) {
    this.caller = transactions::call;
    this.dialect = dialect;
    this.tables = tables;
    this.queries = new AdminQueries(dialect, tables);
    this.lanes = new LaneMoves(dialect, tables);
    this.letters = new LetterMoves(dialect, tables, lanes);
    this.pauses = new PauseStatements(dialect, tables);
    this.gone = new GoneStatements(dialect, tables);
    this.survey = new SurveyStatements(dialect, tables);
    this.actions = new ActionStatements(dialect, tables);
    this.leases = new LeaseStatements(dialect, tables, Duration.ZERO); // only looks
  }

  /** The same, in a transaction that somebody else ends. */
  private JdbcAdminStore(JdbcAdminStore store, Connection connection) {
    this.caller = new Bound(connection);
    this.dialect = store.dialect;
    this.tables = store.tables;
    this.queries = store.queries;
    this.lanes = store.lanes;
    this.letters = store.letters;
    this.pauses = store.pauses;
    this.gone = store.gone;
    this.survey = store.survey;
    this.actions = store.actions;
    this.leases = store.leases;
  }

  /** Does work in a transaction. */
  private interface Caller {
    <T> T call(String undone, SqlWork<T> work);
  }

  private record Bound(Connection connection) implements Caller {
    @Override
    public <T> T call(String undone, SqlWork<T> work) {
      try {
        return work.with(connection);
      } catch (SQLException e) {
        throw new FailedWithin(e);
      }
    }
  }

  /** Takes a failure to the transaction, which decides what follows from it. */
  private static final class FailedWithin extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final SQLException failure;

    FailedWithin(SQLException failure) {
      super(failure);
      this.failure = failure;
    }
  }

  private <T> T read(SqlWork<T> work) {
    return caller.call(NOT_READ, work);
  }

  private <T> T change(SqlWork<T> work) {
    return caller.call(NOT_CHANGED, work);
  }

  @Override
  public <T> T together(Function<AdminStore, T> work) {
    return change(
        connection -> {
          try {
            return work.apply(new JdbcAdminStore(this, connection));
          } catch (FailedWithin e) {
            throw e.failure;
          }
        });
  }

  private List<EntryId> move(Collection<EntryId> ids, SqlWork<List<EntryId>> work) {
    return ids.isEmpty() ? List.of() : change(work);
  }

  @Override
  public Instant now() {
    return read(queries::now);
  }

  @Override
  public OpenAction open(NewAction action) {
    return change(connection -> actions.open(connection, action));
  }

  @Override
  public AdminAction advance(UUID id, long entries, @Nullable String place) {
    return change(connection -> actions.advance(connection, id, entries, place));
  }

  @Override
  public void keepOriginal(UUID id, Original original) {
    change(
        connection -> {
          actions.keepOriginal(connection, id, original);
          return id;
        });
  }

  @Override
  public boolean stopAction(UUID id) {
    return change(connection -> actions.stop(connection, id));
  }

  @Override
  public Optional<AdminAction> action(UUID id) {
    return read(connection -> actions.find(connection, id));
  }

  @Override
  public List<AdminAction> actions(@Nullable ActionPlace after, int limit) {
    return read(connection -> actions.list(connection, after, limit));
  }

  @Override
  public Slice<ReadyMessage> ready(Filter filter, @Nullable Place after, int limit) {
    return read(connection -> queries.ready().list(connection, filter, after, limit));
  }

  @Override
  public Optional<DeadLetter> deadLetter(EntryId id) {
    return read(connection -> queries.dead().find(connection, id, false));
  }

  @Override
  public Optional<DeadLetter> lockDeadLetter(EntryId id) {
    return change(connection -> queries.dead().find(connection, id, true));
  }

  @Override
  public Slice<DeadLetter> deadLetters(Filter filter, @Nullable Place after, int limit) {
    return read(connection -> queries.dead().list(connection, filter, after, limit));
  }

  @Override
  public Counted countDeadLetters(Filter filter, @Nullable Place after) {
    return read(connection -> queries.dead().count(connection, filter, after));
  }

  @Override
  public List<DeadLetter> latestDeadLetters(@Nullable String handler, int limit) {
    return read(connection -> queries.dead().latest(connection, handler, limit));
  }

  @Override
  public List<EntryId> retry(Collection<EntryId> ids) {
    return move(ids, connection -> letters.retry(connection, ids));
  }

  @Override
  public List<EntryId> remove(Collection<EntryId> ids, @Nullable Resolution resolution) {
    return move(ids, connection -> letters.remove(connection, ids, resolution));
  }

  @Override
  public boolean setHeaders(EntryId id, Map<String, String> headers) {
    return change(connection -> letters.setHeaders(connection, id, headers));
  }

  @Override
  public boolean setPayload(EntryId id, byte @Nullable [] payload) {
    return change(connection -> letters.setPayload(connection, id, payload));
  }

  @Override
  public Optional<DeferredEntry> deferred(EntryId id) {
    return read(connection -> queries.deferred().find(connection, id, false));
  }

  @Override
  public Slice<DeferredEntry> deferred(Filter filter, @Nullable Place after, int limit) {
    return read(connection -> queries.deferred().list(connection, filter, after, limit));
  }

  @Override
  public Counted countDeferred(Filter filter, @Nullable Place after) {
    return read(connection -> queries.deferred().count(connection, filter, after));
  }

  @Override
  public List<EntryId> runNow(Collection<EntryId> ids) {
    return move(ids, connection -> lanes.runNow(connection, ids));
  }

  @Override
  public List<EntryId> cancel(Collection<EntryId> ids) {
    return move(ids, connection -> lanes.cancel(connection, ids));
  }

  @Override
  public Optional<EntryId> skipHead(LaneId lane, String error) {
    return change(connection -> lanes.skipHead(connection, lane, error));
  }

  @Override
  public boolean block(LaneId lane) {
    return change(connection -> lanes.block(connection, lane));
  }

  @Override
  public int unblock(LaneId lane) {
    return change(connection -> lanes.unblock(connection, lane));
  }

  @Override
  public Slice<HistoryEntry> history(Filter filter, @Nullable Place after, int limit) {
    return read(connection -> queries.history().list(connection, filter, after, limit));
  }

  @Override
  public Counted countHistory(Filter filter, @Nullable Place after) {
    return read(connection -> queries.history().count(connection, filter, after));
  }

  @Override
  public List<EntryId> replay(Collection<EntryId> ids) {
    return move(ids, connection -> letters.replay(connection, ids));
  }

  @Override
  public boolean forgetHandler(String name) {
    return change(connection -> gone.delete(connection, name));
  }

  @Override
  public FleetSurvey fleet() {
    return read(leases::survey);
  }

  @Override
  public List<Report> reports() {
    return read(leases::reports);
  }

  @Override
  public boolean pause(Paused kind, String name) {
    return change(connection -> pauses.pause(connection, kind, name));
  }

  @Override
  public boolean resume(Paused kind, String name) {
    return change(connection -> pauses.resume(connection, kind, name));
  }

  @Override
  public List<Pause> pauses() {
    return read(pauses::read);
  }

  @Override
  public Survey survey(int limit) {
    return read(connection -> survey.take(connection, limit));
  }

  @Override
  public DatabaseHealth databaseHealth(Duration patience) {
    return read(connection -> dialect.health(connection, tables::name, patience));
  }
}
