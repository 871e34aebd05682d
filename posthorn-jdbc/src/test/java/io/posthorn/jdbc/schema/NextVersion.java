/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import io.posthorn.jdbc.Dialect;
import io.posthorn.jdbc.H2Dialect;
import io.posthorn.jdbc.MariaDbDialect;
import io.posthorn.jdbc.MySqlDialect;
import io.posthorn.jdbc.PostgresDialect;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Dialects with a second version of the tables, which has one column and one index more: what the
 * next release of Posthorn may bring. Never shipped.
 */
final class NextVersion {
  private static final String FIRST = "/V1__create_outbox.sql";
  private static final String SECOND = "/V2__upgrade_outbox.sql";
  private static final String WHOLE = "/create_outbox.sql";

  private NextVersion() {}

  /**
   * @param name of the dialect that is shipped
   */
  static Dialect of(String name) {
    return switch (name) {
      case "postgresql" ->
          new PostgresDialect() {
            @Override
            public Optional<String> script(String path) {
              return scriptOf(path, super.script(shipped(path)));
            }
          };
      case "mariadb" ->
          new MariaDbDialect() {
            @Override
            public Optional<String> script(String path) {
              return scriptOf(path, super.script(shipped(path)));
            }
          };
      case "mysql" ->
          new MySqlDialect() {
            @Override
            public Optional<String> script(String path) {
              return scriptOf(path, super.script(shipped(path)));
            }
          };
      default ->
          new H2Dialect() {
            @Override
            public Optional<String> script(String path) {
              return scriptOf(path, super.script(shipped(path)));
            }
          };
    };
  }

  /** The whole script is made of that of version 1. */
  private static String shipped(String path) {
    return path.endsWith(WHOLE) ? path.replace(WHOLE, FIRST) : path;
  }

  private static Optional<String> scriptOf(String path, Optional<String> shipped) {
    if (path.endsWith(SECOND)) {
      String folder = path.replace(SECOND, "");
      return Optional.of(step(folder.substring(folder.lastIndexOf('/') + 1)));
    }
    return path.endsWith(WHOLE) ? shipped.map(NextVersion::whole) : shipped;
  }

  private static String step(String database) {
    try (InputStream in =
        NextVersion.class.getResourceAsStream(
            "/io/posthorn/jdbc/schema/next/" + database + ".sql")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String whole(String first) {
    String script =
        once(
            first,
            "(?s)TABLE[^(]* outbox_message \\(.*?created_at[^\n]*\n",
            "$0  note varchar(50),\n");
    script =
        once(
            script,
            "CREATE TABLE[^(]* outbox_schema",
            "CREATE INDEX outbox_dead_type_ix ON outbox_dead (type);\n$0");
    return once(script, "VALUES \\(1, 'crc32', 1\\)", "VALUES (2, 'crc32', 1)");
  }

  private static String once(String script, String pattern, String replacement) {
    Matcher found = Pattern.compile(pattern).matcher(script);
    if (!found.find()) {
      throw new AssertionError("not in the script: " + pattern);
    }
    return found.replaceFirst(replacement);
  }
}
