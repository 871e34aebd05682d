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
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The condition that a filter stands for, with its values. Not safe to share between threads. */
final class FilterCondition {
  private final Dialect dialect;
  private final StringBuilder sql = new StringBuilder(" WHERE 1 = 1");
  private final List<Object> values = new ArrayList<>();

  /**
   * @param time the column that tells since when an entry is what it is
   * @param error the column of its error, or null: it has none
   */
  FilterCondition(Dialect dialect, Filter filter, String time, @Nullable String error) {
    this.dialect = dialect;
    equal("type", filter.type());
    equal("handler", filter.handler());
    equal("message_key", filter.key());
    equal("tenant", filter.tenant());
    equal("id", filter.messageId());
    equal("reason", filter.reason() == null ? null : filter.reason().name());
    if (filter.errorContains() != null && error != null) {
      add(error + " LIKE ? ESCAPE '!'", "%" + literally(filter.errorContains()) + "%");
    }
    if (filter.from() != null) {
      add(time + " >= ?", filter.from());
    }
    if (filter.to() != null) {
      add(time + " < ?", filter.to());
    }
  }

  private String literally(String text) {
    String literally = text.replace("!", "!!");
    for (char wildcard : dialect.wildcards().toCharArray()) {
      literally = literally.replace(String.valueOf(wildcard), "!" + wildcard);
    }
    return literally;
  }

  private void equal(String column, @Nullable Object value) {
    if (value != null) {
      add(column + " = ?", value);
    }
  }

  FilterCondition add(String condition, Object... more) {
    sql.append(" AND ").append(condition);
    values.addAll(List.of(more));
    return this;
  }

  /** Rows behind one of a page, in the order of these columns. */
  void behind(String columns, Object... last) {
    TupleOrder order = new TupleOrder(dialect, columns);
    add(order.behind(), order.values(last).toArray());
  }

  String sql() {
    return sql.toString();
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
