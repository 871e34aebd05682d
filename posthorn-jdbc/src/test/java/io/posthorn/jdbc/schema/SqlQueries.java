/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The queries of docs/sql.md, by the question above each. */
final class SqlQueries {
  private static final Path DOCUMENT = Path.of("..", "docs", "sql.md");
  private static final Pattern QUERY =
      Pattern.compile(
          "^## ([^\n]*)\n(?:(?!^## ).)*?^```sql\n(.*?);\n```$", Pattern.DOTALL | Pattern.MULTILINE);

  private SqlQueries() {}

  static Map<String, String> read() {
    Map<String, String> queries = new LinkedHashMap<>();
    for (MatchResult found : QUERY.matcher(text()).results().toList()) {
      queries.put(found.group(1), found.group(2));
    }
    return queries;
  }

  /** How many blocks of SQL there are, with a question of their own or not. */
  static long blocks() {
    return text().lines().filter("```sql"::equals).count();
  }

  private static String text() {
    try {
      return Files.readString(DOCUMENT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
