/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.StoreException.Kind;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What failures of Oracle and SQL Server say, by the codes of their vendors and the SQLSTATEs that
 * their drivers give them.
 */
class DialectErrorsTest {
  private static SQLException failure(String state, int code) {
    return new SQLException("refused", state, code);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 23000, CONTENT", // unique constraint
    "1400, 23000, CONTENT", // NULL
    "2290, 23000, CONTENT", // check
    "12899, 72000, CONTENT", // too large
    "1438, 22003, CONTENT",
    "3113, 08006, UNAVAILABLE",
    "3114, 08000, UNAVAILABLE",
    "1034, 99999, UNAVAILABLE",
    "1089, 72000, UNAVAILABLE",
    "12541, 08006, UNAVAILABLE",
    "28, 61000, UNAVAILABLE",
    "1653, 72000, UNAVAILABLE",
    "16000, 72000, UNAVAILABLE",
    "17002, 08006, UNAVAILABLE",
    "28000, 99999, UNAVAILABLE",
    "60, 61000, UNKNOWN",
    "54, 61000, UNKNOWN",
    "8177, 72000, UNKNOWN",
    "1013, 72000, UNKNOWN",
    "942, 42000, UNKNOWN",
  })
  void oracle(int code, String state, Kind kind) {
    assertThat(new OracleDialect().kindOf(failure(state, code))).isEqualTo(kind);
  }

  @ParameterizedTest
  @CsvSource({
    "54, true",
    "60, true",
    "2049, true",
    "8177, true",
    "30006, true",
    "1, false",
    "1013, false",
    "3113, false",
  })
  void oracleRepeats(int code, boolean repeatable) {
    assertThat(new OracleDialect().isRepeatable(failure("72000", code))).isEqualTo(repeatable);
  }

  @ParameterizedTest
  @CsvSource({
    "2627, 23000, CONTENT", // primary key
    "2601, 23000, CONTENT", // unique index
    "515, 23000, CONTENT", // NULL
    "547, 23000, CONTENT", // check
    "2628, S0001, CONTENT", // truncated
    "8152, 22001, CONTENT",
    "4060, S0001, UNAVAILABLE",
    "18456, S0001, UNAVAILABLE",
    "10928, S0001, UNAVAILABLE",
    "40501, S0001, UNAVAILABLE",
    "40613, S0001, UNAVAILABLE",
    "9002, S0002, UNAVAILABLE",
    "1105, S0002, UNAVAILABLE",
    "3906, S0001, UNAVAILABLE",
    "0, 08S01, UNAVAILABLE", // the driver's own: connection lost
    "1205, 40001, UNKNOWN",
    "1222, S0001, UNKNOWN",
    "3960, S0001, UNKNOWN",
    "208, S0002, UNKNOWN",
  })
  void sqlServer(int code, String state, Kind kind) {
    assertThat(new SqlServerDialect().kindOf(failure(state, code))).isEqualTo(kind);
  }

  @ParameterizedTest
  @CsvSource({"1205, true", "1222, true", "3960, true", "2627, false", "4060, false"})
  void sqlServerRepeats(int code, boolean repeatable) {
    assertThat(new SqlServerDialect().isRepeatable(failure("S0001", code))).isEqualTo(repeatable);
  }
}
