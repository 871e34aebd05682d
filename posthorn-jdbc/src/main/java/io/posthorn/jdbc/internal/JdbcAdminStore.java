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
import io.posthorn.Admin.Survey;
import io.posthorn.DatabaseHealth;
import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.FleetSurvey.Paused;
import io.posthorn.spi.LaneId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What people ask of the store, each in a transaction of its own. */
final class JdbcAdminStore implements AdminStore {
  private static final String NOT_READ = "Nothing read";
  private static final String NOT_CHANGED = "Nothing changed";

  private final PooledTransactions transactions;
  private final Dialect dialect;
  private final Tables tables;
  private final AdminQueries queries;
  private final LaneMoves lanes;
  private final LetterMoves letters;
  private final PauseStatements pauses;
  private final GoneStatements gone;
  private final SurveyStatements survey;

  JdbcAdminStore(PooledTransactions transactions, Dialect dialect, Tables tables) {
    this.transactions = transactions;
    this.dialect = dialect;
    this.tables = tables;
    this.queries = new AdminQueries(dialect, tables);
    this.lanes = new LaneMoves(dialect, tables);
    this.letters = new LetterMoves(dialect, tables, lanes);
    this.pauses = new PauseStatements(dialect, tables);
    this.gone = new GoneStatements(dialect, tables);
    this.survey = new SurveyStatements(dialect, tables);
  }

  private <T> T read(SqlWork<T> work) {
    return transactions.call(NOT_READ, work);
  }

  private <T> T change(SqlWork<T> work) {
    return transactions.call(NOT_CHANGED, work);
  }

  private List<EntryId> move(Collection<EntryId> ids, SqlWork<List<EntryId>> work) {
    return ids.isEmpty() ? List.of() : change(work);
  }

  @Override
  public Instant now() {
    return read(queries::now);
  }

  @Override
  public Optional<DeadLetter> deadLetter(EntryId id) {
    return read(connection -> queries.deadLetter(connection, id));
  }

  @Override
  public List<DeadLetter> deadLetters(Filter filter, @Nullable Place after, int limit) {
    return read(connection -> queries.deadLetters(connection, filter, after, limit));
  }

  @Override
  public long countDeadLetters(Filter filter) {
    return read(connection -> queries.countDead(connection, filter));
  }

  @Override
  public List<EntryId> retry(Collection<EntryId> ids) {
    return move(ids, connection -> letters.retry(connection, ids));
  }

  @Override
  public List<EntryId> remove(Collection<EntryId> ids, boolean keepHistory) {
    return move(ids, connection -> letters.remove(connection, ids, keepHistory));
  }

  @Override
  public boolean setHeaders(EntryId id, Map<String, String> headers) {
    return change(connection -> letters.setHeaders(connection, id, headers));
  }

  @Override
  public Optional<DeferredEntry> deferred(EntryId id) {
    return read(connection -> queries.deferred(connection, id));
  }

  @Override
  public List<DeferredEntry> deferred(Filter filter, @Nullable Place after, int limit) {
    return read(connection -> queries.deferred(connection, filter, after, limit));
  }

  @Override
  public long countDeferred(Filter filter) {
    return read(connection -> queries.countDeferred(connection, filter));
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
  public List<HistoryEntry> history(Filter filter, @Nullable Place after, int limit) {
    return read(connection -> queries.history(connection, filter, after, limit));
  }

  @Override
  public long countHistory(Filter filter) {
    return read(connection -> queries.countHistory(connection, filter));
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
