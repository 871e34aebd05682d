/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.MySqlDialect;
import io.posthorn.jdbc.OracleDialect;
import io.posthorn.jdbc.SqlServerDialect;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What dialects make of the answers of servers that cannot be had here. */
class ServerAnswersTest {
  private static Connection answering(Map<String, List<Object>> answers) throws Exception {
    return new RecordingDriver(answers).dataSource().getConnection();
  }

  private static List<String> mySqlWarnings(Map<String, List<Object>> answers) throws Exception {
    return new MySqlDialect().warnings(answering(answers));
  }

  @Test
  void galeraIsWarnedOfWithWhatStillHolds() throws Exception {
    assertThat(
            mySqlWarnings(
                Map.of(
                    "SHOW VARIABLES", List.of("wsrep_on", "ON"),
                    "wsrep_cluster_size", List.of("wsrep_cluster_size", "3"))))
        .singleElement()
        .asString()
        .contains("Galera", "3 nodes", "No message is lost", "out of order", "the same node");
  }

  @Test
  void severalPrimariesAreWarnedOf() throws Exception {
    assertThat(
            mySqlWarnings(
                Map.of(
                    "SHOW VARIABLES", List.of("group_replication_single_primary_mode", "OFF"),
                    "replication_group_members", List.of("2"))))
        .singleElement()
        .asString()
        .contains("several primaries", "2 primaries", "No message is lost");
  }

  @Test
  void groupReplicationThatIsNotRunningIsNoReasonForAWarning() throws Exception {
    assertThat(
            mySqlWarnings(
                Map.of(
                    "SHOW VARIABLES", List.of("group_replication_single_primary_mode", "OFF"),
                    "replication_group_members", List.of("0"))))
        .isEmpty();
  }

  @Test
  void singlePrimaryIsNoReasonForAWarning() throws Exception {
    assertThat(
            mySqlWarnings(
                Map.of("SHOW VARIABLES", List.of("group_replication_single_primary_mode", "ON"))))
        .isEmpty();
  }

  @Test
  void tiDbIsAcceptedAndWarnedOf() throws Exception {
    assertThat(mySqlWarnings(Map.of("version()", List.of("8.0.11-TiDB-v8.5.0"))))
        .singleElement()
        .asString()
        .contains("TiDB", "never been run");
  }

  private static List<String> sqlServerProblems(int version, int edition, int snapshot, int options)
      throws Exception {
    return new SqlServerDialect()
        .problems(
            answering(
                Map.of(
                    "SERVERPROPERTY",
                    List.of(version, edition, snapshot, options, "shop"),
                    "collation_name",
                    List.of("outbox_message", "message_key", "Latin1_General_CI_AS"))),
            "outbox_seq");
  }

  @Test
  void sqlServerIsRefusedForEachHarmfulSetting() throws Exception {
    List<String> problems = sqlServerProblems(14, 3, 0, 16_384);

    assertThat(problems).hasSize(4);
    assertThat(problems.get(0)).contains("version 14", "2019");
    assertThat(problems.get(1)).contains("ALTER DATABASE [shop] SET READ_COMMITTED_SNAPSHOT ON");
    assertThat(problems.get(2)).contains("XACT_ABORT");
    assertThat(problems.get(3)).contains("Latin1_General_CI_AS", "BIN2");
  }

  @Test
  void azureIsNotRefusedForItsVersion() throws Exception {
    assertThat(sqlServerProblems(12, 5, 1, 0)).hasSize(1); // the collation
  }

  @Test
  void oracleIsRefusedForLinguisticComparisons() throws Exception {
    assertThat(
            new OracleDialect()
                .problems(
                    answering(Map.of("nls_session_parameters", List.of("NLS_COMP", "LINGUISTIC"))),
                    "outbox_seq"))
        .singleElement()
        .asString()
        .contains("LINGUISTIC", "ALTER SESSION SET NLS_COMP = BINARY");
  }

  @Test
  void oracleIsRefusedForItsCharacterSet() throws Exception {
    assertThat(
            new OracleDialect()
                .problems(
                    answering(
                        Map.of(
                            "nls_session_parameters", List.of("NLS_CHARACTERSET", "WE8MSWIN1252"))),
                    "outbox_seq"))
        .singleElement()
        .asString()
        .contains("WE8MSWIN1252", "AL32UTF8");
  }
}
