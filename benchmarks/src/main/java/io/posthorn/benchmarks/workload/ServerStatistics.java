/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.sql.SQLException;
import java.util.List;

/**
 * What the server has counted for this database.
 *
 * @param statements all calls; not a number without pg_stat_statements
 * @param outboxStatements those that are not a writer's; not a number without pg_stat_statements
 * @param blocks touched, found in memory or not
 */
record ServerStatistics(
    double statements, double outboxStatements, double walBytes, double blocks) {

  private static final String STATEMENTS =
      """
      SELECT sum(calls),
             sum(calls) FILTER (WHERE query NOT LIKE 'INSERT INTO%'
                                  AND query NOT IN ('BEGIN', 'COMMIT'))
        FROM pg_stat_statements
       WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND query NOT LIKE '%pg_stat%' AND query NOT LIKE '%pg_extension%'
      """;

  static ServerStatistics read(Stage stage) throws SQLException {
    boolean counted =
        stage.number("SELECT count(*) FROM pg_extension WHERE extname = 'pg_stat_statements'") > 0;
    List<Double> calls = counted ? stage.numbers(STATEMENTS) : List.of(Double.NaN, Double.NaN);
    List<Double> rest =
        stage.numbers(
            """
            SELECT pg_current_wal_lsn() - '0/0', blks_read + blks_hit
              FROM pg_stat_database WHERE datname = current_database()
            """);
    return new ServerStatistics(calls.get(0), calls.get(1), rest.get(0), rest.get(1));
  }

  ServerStatistics since(ServerStatistics earlier) {
    return new ServerStatistics(
        statements - earlier.statements,
        outboxStatements - earlier.outboxStatements,
        walBytes - earlier.walBytes,
        blocks - earlier.blocks);
  }
}
