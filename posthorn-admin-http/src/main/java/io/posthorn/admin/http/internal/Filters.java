/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.Admin.Filter;
import io.posthorn.spi.DeferReason;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads filters. */
final class Filters {
  private Filters() {}

  /** Which members a filter can have beside type, key, tenant, times and id. */
  enum Scope {
    READY(false, false, false),
    DEFERRED(true, true, true),
    DEAD(true, true, false),
    HISTORY(true, false, false);

    private final boolean handler;
    private final boolean error;
    private final boolean reason;

    Scope(boolean handler, boolean error, boolean reason) {
      this.handler = handler;
      this.error = error;
      this.reason = reason;
    }
  }

  static Filter of(Query query, Scope scope) {
    return new Filter(
        query.text("type"),
        scope.handler ? query.text("handler") : null,
        query.text("key"),
        query.text("tenant"),
        scope.error ? query.text("error") : null,
        query.instant("from"),
        query.instant("to"),
        query.uuid("messageId"),
        scope.reason ? query.constant("reason", DeferReason.class) : null);
  }

  static Filter of(JsonInput filter, Scope scope) {
    Filter wanted =
        new Filter(
            text(filter, "type"),
            scope.handler ? text(filter, "handler") : null,
            text(filter, "key"),
            text(filter, "tenant"),
            scope.error ? text(filter, "error") : null,
            parse(filter, "from", Instant::parse, "a time such as 2026-01-31T12:00:00Z"),
            parse(filter, "to", Instant::parse, "a time such as 2026-01-31T12:00:00Z"),
            parse(filter, "messageId", Query::uuidOf, "a UUID"),
            scope.reason
                ? parse(filter, "reason", DeferReason::valueOf, "a reason, such as RETRYING")
                : null);
    filter.end();
    return wanted;
  }

  private static @Nullable String text(JsonInput filter, String name) {
    return filter.has(name) ? filter.text(name) : filter.optionalText(name);
  }

  private static <T> @Nullable T parse(
      JsonInput filter, String name, Function<String, T> parser, String expected) {
    String value = text(filter, name);
    if (value == null) {
      return null;
    }
    try {
      return parser.apply(value);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw RequestProblem.badRequest("\"filter.%s\" must be %s", name, expected);
    }
  }
}
