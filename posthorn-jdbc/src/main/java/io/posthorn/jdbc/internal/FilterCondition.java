/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.Admin.Filter;
import io.posthorn.jdbc.Dialect;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The condition that a filter stands for, with its values. Not safe to share between threads. */
final class FilterCondition {
  private final Set<String> indexed;
  private final Condition lookedUp;
  private final Condition passedOver;

  /**
   * @param time the column that tells since when an entry is what it is
   * @param error the column of its error, or null: it has none
   * @param indexed columns by which rows are found in the order of lists
   */
  FilterCondition(
      Dialect dialect, Filter filter, String time, @Nullable String error, Set<String> indexed) {
    this.indexed = indexed;
    this.lookedUp = new Condition(dialect);
    this.passedOver = new Condition(dialect);
    equal("type", filter.type());
    equal("handler", filter.handler());
    equal("message_key", filter.key());
    equal("tenant", filter.tenant());
    equal("id", filter.messageId());
    equal("reason", filter.reason() == null ? null : filter.reason().name());
    if (filter.errorContains() != null && error != null) {
      passedOver.add(
          error + " LIKE ? ESCAPE '!'", "%" + literally(dialect, filter.errorContains()) + "%");
    }
    if (filter.resolvedOnly()) {
      passedOver.add("resolved_by IS NOT NULL");
    }
    if (filter.from() != null) {
      passedOver.add(time + " >= ?", filter.from());
    }
    if (filter.to() != null) {
      passedOver.add(time + " < ?", filter.to());
    }
  }

  private static String literally(Dialect dialect, String text) {
    String literally = text.replace("!", "!!");
    for (char wildcard : dialect.wildcards().toCharArray()) {
      literally = literally.replace(String.valueOf(wildcard), "!" + wildcard);
    }
    return literally;
  }

  private void equal(String column, @Nullable Object value) {
    if (value != null) {
      (indexed.contains(column) ? lookedUp : passedOver).add(column + " = ?", value);
    }
  }

  /** Whether rows may be read that do not match. */
  boolean passesOverRows() {
    return passedOver.sql.length() > 0;
  }

  /** What an index finds. */
  Condition lookedUp() {
    return lookedUp.copy();
  }

  /** All of it. */
  Condition whole() {
    Condition whole = lookedUp.copy();
    whole.sql.append(passedOver.sql);
    whole.values.addAll(passedOver.values);
    return whole;
  }

  /** What follows WHERE, and its values. */
  static final class Condition {
    private final Dialect dialect;
    private final StringBuilder sql = new StringBuilder();
    private final List<Object> values = new ArrayList<>();

    Condition(Dialect dialect) {
      this.dialect = dialect;
    }

    private Condition copy() {
      Condition copy = new Condition(dialect);
      copy.sql.append(sql);
      copy.values.addAll(values);
      return copy;
    }

    Condition add(String condition, Object... more) {
      sql.append(" AND ").append(condition);
      values.addAll(List.of(more));
      return this;
    }

    String where() {
      return " WHERE 1 = 1" + sql;
    }

    /** Binds the values; returns the index of the next parameter. */
    int bind(PreparedStatement statement) throws SQLException {
      int i = 1;
      for (Object value : values) {
        if (value instanceof Instant time) {
          dialect.bindTime(statement, i++, time);
        } else if (value instanceof UUID id) {
          dialect.bindId(statement, i++, id);
        } else {
          statement.setObject(i++, value);
        }
      }
      return i;
    }
  }
}
