/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static java.util.Objects.requireNonNull;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.StoredMessage;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How messages stand in rows. The order of the columns is the same in all tables. */
final class Rows {
  /** What the publisher fixed. */
  static final String ENVELOPE =
      "id, type, aggregate_type, message_key, tenant, headers, content_type, payload, occurred_at, expires_at";

  static final int ENVELOPE_COLUMNS = 10;

  private static final int AGGREGATE_TYPE = 1;
  private static final int TENANT = 2;
  private static final int HEADERS = 4;
  private static final int EXPIRES_AT = 8;
  static final int ALL_FILLED = 15;

  private static final Map<String, Integer> SPARSE =
      Map.of(
          "aggregate_type",
          AGGREGATE_TYPE,
          "tenant",
          TENANT,
          "headers",
          HEADERS,
          "expires_at",
          EXPIRES_AT);

  private Rows() {}

  /** The columns of a ready row, as {@link #ready} reads them. */
  static String readyColumns(Dialect dialect) {
    return "partition_no, seq, "
        + ENVELOPE
        + ", created_at, CASE WHEN expires_at IS NOT NULL THEN "
        + dialect.millisUntil("expires_at")
        + " END AS expires_in";
  }

  static final int READY_COLUMNS = 14;

  /** The same, without what is large in rows above a size, which is bound for each such column. */
  static String readyColumnsUpToSize(Dialect dialect) {
    String columns = readyColumns(dialect);
    for (String column : LARGE) {
      columns =
          columns.replace(
              " %s,".formatted(column),
              " CASE WHEN %1$s <= ? THEN %2$s END AS %2$s,".formatted(bytes(dialect), column));
    }
    return columns;
  }

  private static final List<String> LARGE = List.of("headers", "payload");
  static final int SIZED_COLUMNS = LARGE.size();

  /** The columns of a deferred row, without what is large. */
  static String smallDeferredColumns(Dialect dialect) {
    String columns = deferredColumns(dialect);
    for (String column : LARGE) {
      columns = columns.replace(" %s,".formatted(column), " NULL AS %s,".formatted(column));
    }
    return columns;
  }

  /** The columns of a deferred row, as {@link #deferred} reads them. */
  static String deferredColumns(Dialect dialect) {
    return readyColumns(dialect)
        + ", handler, in_lane, reason, attempts, last_error, "
        + dialect.millisUntil("due_at")
        + " AS due_in, "
        + dialect.millisUntil("deferred_at")
        + " AS since";
  }

  static final int DEFERRED_COLUMNS = 21;

  /** What a row counts for when bytes are counted; known without fetching them. */
  static String bytes(Dialect dialect) {
    return "(%d + COALESCE(%s, 0) + COALESCE(%s, 0))"
        .formatted(
            ReadRequest.ROW_OVERHEAD_BYTES, dialect.octets("payload"), dialect.octets("headers"));
  }

  /** A literal for a text that must be there and says nothing. */
  static String noText(Dialect dialect) {
    return dialect.emptyTextIsNull() ? "' '" : "''";
  }

  static int bind(Dialect dialect, PreparedStatement statement, int first, Envelope envelope)
      throws SQLException {
    return bind(dialect, statement, first, envelope, ALL_FILLED);
  }

  /**
   * @param filled the bits of the columns that the statement has among those that may be empty
   */
  static int bind(
      Dialect dialect, PreparedStatement statement, int first, Envelope envelope, int filled)
      throws SQLException {
    if (dialect.emptyTextIsNull()) {
      refuseEmptyText(dialect, envelope);
    }
    int i = first;
    dialect.bindId(statement, i++, envelope.id());
    statement.setString(i++, envelope.type());
    if ((filled & AGGREGATE_TYPE) != 0) {
      statement.setString(i++, envelope.aggregateType());
    }
    statement.setString(i++, envelope.key());
    if ((filled & TENANT) != 0) {
      statement.setString(i++, envelope.tenant());
    }
    if ((filled & HEADERS) != 0) {
      statement.setString(i++, HeadersText.of(envelope.headers()));
    }
    statement.setString(i++, envelope.contentType());
    dialect.bindPayload(statement, i++, envelope.payload());
    dialect.bindTime(statement, i++, envelope.occurredAt());
    Instant expiresAt = envelope.expiresAt();
    if (expiresAt != null) {
      dialect.bindTime(statement, i++, expiresAt);
    } else if ((filled & EXPIRES_AT) != 0) {
      statement.setNull(i++, dialect.timeType());
    }
    return i;
  }

  /** A key that became NULL would be no key at all, and its messages would lose their order. */
  private static void refuseEmptyText(Dialect dialect, Envelope envelope) {
    Map<String, @Nullable String> texts = new LinkedHashMap<>();
    texts.put("key", envelope.key());
    texts.put("tenant", envelope.tenant());
    texts.put("aggregate type", envelope.aggregateType());
    texts.put("content type", envelope.contentType());
    texts.forEach(
        (name, text) -> {
          if ("".equals(text)) {
            throw new StoreException(
                StoreException.Kind.CONTENT,
                "Message \"%s\" not written: its %s was \"\", which %s stores as if it had none; leave it out, or give it a value"
                    .formatted(envelope.id(), name, dialect.name()),
                null);
          }
        });
  }

  /** Which columns of the {@link #ENVELOPE} that may be empty are not. */
  static int filled(Envelope envelope) {
    return (envelope.aggregateType() == null ? 0 : AGGREGATE_TYPE)
        | (envelope.tenant() == null ? 0 : TENANT)
        | (envelope.headers().isEmpty() ? 0 : HEADERS)
        | (envelope.expiresAt() == null ? 0 : EXPIRES_AT);
  }

  /** The columns of the {@link #ENVELOPE} without those that are empty. */
  static List<String> columns(int filled) {
    List<String> columns = new ArrayList<>(List.of(ENVELOPE.split(", ", -1)));
    SPARSE.forEach(
        (column, bit) -> {
          if ((filled & bit) == 0) {
            columns.remove(column);
          }
        });
    return columns;
  }

  static StoredMessage ready(Dialect dialect, ResultSet row) throws SQLException {
    return ready(dialect, row, null);
  }

  static StoredMessage ready(Dialect dialect, ResultSet row, @Nullable String place)
      throws SQLException {
    return new StoredMessage(
        row.getInt(1),
        row.getLong(2),
        new Envelope(
            dialect.id(row, 3),
            row.getString(4),
            row.getString(5),
            row.getString(6),
            row.getString(7),
            HeadersText.read(row.getString(8)),
            row.getString(9),
            row.getBytes(10),
            instant(dialect, row, 11),
            dialect.time(row, 12)),
        instant(dialect, row, 13),
        millisOrNull(row, 14),
        place);
  }

  static DeferredMessage deferred(Dialect dialect, ResultSet row) throws SQLException {
    return new DeferredMessage(
        ready(dialect, row),
        row.getString(15),
        row.getBoolean(16),
        reason(row.getString(17)),
        row.getInt(18),
        row.getString(19),
        Duration.ofMillis(row.getLong(20)), // 0 for null: it has no time of its own
        Duration.ofMillis(-row.getLong(21)));
  }

  /** A reason that only a newer version knows is one to wait. */
  static DeferReason reason(String name) {
    for (DeferReason reason : DeferReason.values()) {
      if (reason.name().equals(name)) {
        return reason;
      }
    }
    return DeferReason.WAITING;
  }

  private static @Nullable Duration millisOrNull(ResultSet row, int column) throws SQLException {
    long millis = row.getLong(column);
    return row.wasNull() ? null : Duration.ofMillis(millis);
  }

  static Instant instant(Dialect dialect, ResultSet row, int column) throws SQLException {
    return requireNonNull(dialect.time(row, column), "a time that is never null");
  }
}
