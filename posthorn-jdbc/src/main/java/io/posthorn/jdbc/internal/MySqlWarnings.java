/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What does not hold on a cluster of MySQL or MariaDB, or on what only speaks their protocol. */
public final class MySqlWarnings {
  private static final String STILL_HOLDS =
      "No message is lost, but messages of one key can be delivered out of order, and statements can fail at the commit, unless everybody writes the outbox through the same node: locks and the numbers of messages are each node's own";

  private static final String VARIABLES =
      "SHOW VARIABLES WHERE Variable_name IN ('wsrep_on', 'group_replication_single_primary_mode')";

  private static final String CLUSTER_SIZE = "SHOW STATUS LIKE 'wsrep_cluster_size'";

  /** Readable by those who may read performance_schema. */
  private static final String PRIMARIES =
      "SELECT count(*) FROM performance_schema.replication_group_members WHERE member_role = 'PRIMARY'";

  private MySqlWarnings() {}

  public static List<String> of(Connection connection) throws SQLException {
    List<String> warnings = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      String version = text(statement, "SELECT version()");
      if (version.toLowerCase(Locale.ROOT).contains("tidb")) {
        warnings.add(
            "the server is TiDB (%s), which speaks MySQL's protocol: Posthorn has never been run on it. Its shared locks do nothing unless tidb_enable_noop_functions or tidb_enable_shared_lock_promotion says otherwise, and its counters are cached for each node, so neither the order of a key nor the fence against expelled relays is promised"
                .formatted(version));
      }
      Map<String, String> variables = texts(statement, VARIABLES);
      if (isOn(variables.get("wsrep_on"))) {
        warnings.add(
            "the server is a node of a Galera cluster (wsrep_on, %s nodes). %s"
                .formatted(
                    texts(statement, CLUSTER_SIZE)
                        .getOrDefault("wsrep_cluster_size", "unknown number of"),
                    STILL_HOLDS));
      }
      if (isOff(variables.get("group_replication_single_primary_mode"))) {
        int primaries = primaries(statement);
        if (primaries != 0) {
          warnings.add(
              "the server is in a replication group with several primaries (group_replication_single_primary_mode is OFF%s). %s"
                  .formatted(primaries > 0 ? ", " + primaries + " primaries" : "", STILL_HOLDS));
        }
      }
    }
    return warnings;
  }

  private static boolean isOn(@Nullable String value) {
    return "ON".equals(value) || "1".equals(value);
  }

  private static boolean isOff(@Nullable String value) {
    return "OFF".equals(value) || "0".equals(value);
  }

  private static String text(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  private static Map<String, String> texts(Statement statement, String sql) throws SQLException {
    Map<String, String> texts = new HashMap<>();
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        texts.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getString(2));
      }
    }
    return texts;
  }

  /** Negative if the user may not see them. */
  private static int primaries(Statement statement) {
    try {
      return Integer.parseInt(text(statement, PRIMARIES));
    } catch (SQLException refused) {
      return -1;
    }
  }
}
