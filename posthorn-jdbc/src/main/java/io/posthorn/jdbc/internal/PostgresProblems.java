/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Why a server that answers like PostgreSQL cannot keep an outbox. */
public final class PostgresProblems {
  /** 14.0 calls a transaction that publishes by another name once it is prepared. */
  private static final int OLDEST_NUMBER = 140_001;

  private static final String OLDEST = "14.1";

  /** What others say of themselves in {@code version()}. */
  private static final Map<String, String> OTHERS =
      Map.of(
          "CockroachDB", "CockroachDB",
          "-YB-", "YugabyteDB",
          "Redshift", "Amazon Redshift",
          "Greenplum", "Greenplum");

  private static final String VERSION = "SELECT version()";
  private static final String SETTINGS =
      "SELECT CAST(current_setting('server_version_num') AS integer), current_setting('server_version'), current_setting('server_encoding')";
  // No row if there is no such sequence yet.
  private static final String CACHE =
      "SELECT seqcache FROM pg_sequence WHERE seqrelid = CAST(to_regclass(?) AS oid)";

  private final Connection connection;
  private final List<String> problems = new ArrayList<>();

  private PostgresProblems(Connection connection) {
    this.connection = connection;
  }

  /**
   * @param sequence that numbers the messages; may not exist yet
   */
  public static List<String> of(Connection connection, String sequence) throws SQLException {
    PostgresProblems found = new PostgresProblems(connection);
    Optional<String> other = found.otherServer();
    if (other.isPresent()) {
      return List.of(other.get()); // what follows may mean something else there
    }
    found.checkSettings();
    found.checkSequence(sequence);
    return List.copyOf(found.problems);
  }

  private Optional<String> otherServer() throws SQLException {
    try (PreparedStatement read = connection.prepareStatement(VERSION);
        ResultSet row = read.executeQuery()) {
      row.next();
      String version = row.getString(1);
      return OTHERS.entrySet().stream()
          .filter(other -> version.contains(other.getKey()))
          .findFirst()
          .map(
              other ->
                  "the server is %s (\"%s\"), which speaks PostgreSQL's language but lacks snapshots and locks that the outbox relies on; use PostgreSQL %s or newer"
                      .formatted(other.getValue(), version, OLDEST));
    }
  }

  private void checkSettings() throws SQLException {
    try (PreparedStatement read = connection.prepareStatement(SETTINGS);
        ResultSet row = read.executeQuery()) {
      row.next();
      if (row.getInt(1) < OLDEST_NUMBER) {
        problems.add(
            "the server is PostgreSQL %s but must be %s or newer"
                .formatted(row.getString(2), OLDEST));
      }
      if (!"UTF8".equals(row.getString(3))) {
        problems.add(
            "the encoding of the database is \"%s\" but must be \"UTF8\", or messages with other characters could not be published; create the database WITH ENCODING 'UTF8'"
                .formatted(row.getString(3)));
      }
    }
  }

  private void checkSequence(String sequence) throws SQLException {
    try (PreparedStatement read = connection.prepareStatement(CACHE)) {
      read.setString(1, sequence);
      try (ResultSet row = read.executeQuery()) {
        if (row.next() && row.getLong(1) > 1) {
          problems.add(
              "sequence \"%s\" has a cache of %d but must have one of 1, or sessions would number messages in another order than they write them; run ALTER SEQUENCE %s CACHE 1"
                  .formatted(sequence, row.getLong(1), sequence));
        }
      }
    }
  }
}
