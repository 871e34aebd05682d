/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.posthorn.benchmarks.subject.Subjects;
import io.posthorn.servers.MySqlServer;
import io.posthorn.servers.PostgresServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The benchmarks in small: they end, and what they report adds up. No figure decides. */
@Timeout(300)
class BenchCrashTest {
  private static final List<String> FIELDS =
      List.of(
          "subject",
          "workload",
          "settings",
          "perSecond",
          "p50ms",
          "p95ms",
          "p99ms",
          "ratioToLimit",
          "lost",
          "duplicated",
          "outOfOrder",
          "failed");

  @TempDir private Path directory;

  @Test
  @Tag("long")
  void everySubjectDrainsABacklogAndIsCompared() {
    List<JsonNode> figures = bench("--workload", "w2", "--messages", "500", "--duration", "10s");

    assertThat(figures)
        .extracting(it -> it.get("subject").asString())
        .containsExactlyElementsOf(Subjects.labels());
    assertThat(figures)
        .allSatisfy(
            it -> {
              assertThat(it.propertyNames()).containsAll(FIELDS);
              assertThat(it.get("failed").asBoolean()).as("%s", it).isFalse();
              assertThat(it.get("lost").asLong()).isZero();
              assertThat(it.get("perSecond").asDouble()).isPositive();
              assertThat(it.get("ratioToLimit").asDouble()).isPositive();
              assertThat(it.get("more").get("handled").asDouble()).isGreaterThanOrEqualTo(500);
            });
    assertThat(directory.resolve("w2.svg")).isNotEmptyFile();
  }

  @Test
  @Tag("long")
  void posthornAndTheLimitDoAllWorkloads() {
    List<JsonNode> figures =
        bench(
            "--subject",
            "posthorn,limit",
            "--workload",
            "w1,w2,w3,w4,w5,w6,w7-2,w8,w9",
            "--messages",
            "3000",
            "--duration",
            "600ms",
            "--jdbc-url",
            PostgresServer.shared().jdbcUrl());

    assertThat(figures)
        .filteredOn(it -> it.get("subject").asString().equals("posthorn"))
        .extracting(it -> it.get("workload").asString())
        .containsExactly(
            "w1", "w2", "w3", "w4", "w5", "w6", "w7-2", "w8", "w9-open", "w9-prepared");
    assertThat(figures)
        .allSatisfy(
            it -> {
              assertThat(it.get("failed").asBoolean()).as("%s", it).isFalse();
              assertThat(it.get("duplicated").asLong()).as("%s", it).isZero();
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"mariadb", "mysql"})
  @Tag("long")
  void posthornAndTheLimitRunOnMySqlAndMariaDbToo(String database) {
    assumeTrue(!database.equals("mysql") || MySqlServer.mySqlRuns(), "libaio.so.1 is missing");
    List<JsonNode> figures =
        bench(
            "--database",
            database,
            "--workload",
            "w1,w2,w3,w4",
            "--messages",
            "3000",
            "--duration",
            "1s");

    assertThat(figures)
        .extracting(it -> it.get("workload").asString() + " " + it.get("subject").asString())
        .contains(
            "w1 limit", "w1 limit-lean", "w1 posthorn", "w2 limit", "w2 posthorn", "w4 limit");
    assertThat(figures)
        .allSatisfy(
            it -> {
              assertThat(it.get("failed").asBoolean()).as("%s", it).isFalse();
              assertThat(it.get("lost").asLong()).as("%s", it).isZero();
              assertThat(it.get("duplicated").asLong()).as("%s", it).isZero();
              assertThat(it.get("more").get("serverMicros").asDouble()).as("%s", it).isPositive();
            });
  }

  @Test
  @Tag("long")
  void coldRunsHaveAFreshJvmEach() {
    List<JsonNode> figures =
        bench(
            "--cold",
            "--subject",
            "posthorn,limit-lean",
            "--workload",
            "w1,w2",
            "--messages",
            "3000",
            "--duration",
            "1s",
            "--jdbc-url",
            PostgresServer.shared().jdbcUrl());

    assertThat(figures).hasSize(4);
    assertThat(figures)
        .allSatisfy(
            it -> {
              assertThat(it.get("failed").asBoolean()).as("%s", it).isFalse();
              assertThat(it.get("duplicated").asLong()).as("%s", it).isZero();
              assertThat(it.get("cold").asBoolean()).isTrue();
              assertThat(it.get("more").get("jvmMicros").asDouble()).as("%s", it).isPositive();
              assertThat(it.get("more").get("serverMicros").asDouble()).as("%s", it).isPositive();
            });
    assertThat(figures.get(1).get("ratios").get("limit-lean").get("/s").get("runs").asInt())
        .isEqualTo(1);
  }

  @Test
  void wrongOptionsAreRefusedWithTheirNames() {
    assertThat(refused("--subject", "rival"))
        .contains("--subject \"rival\" is unknown", "posthorn");
    assertThat(refused("--workload", "w99")).contains("--workload \"w99\" is unknown");
    assertThat(refused("--messages", "0")).contains("--messages was 0 but must be at least 1");
    assertThat(refused("--duration", "soon")).contains("\"soon\" is no time; write 20s");
    assertThat(refused("--cold", "--workload", "w7")).contains("is for w1, w2, w3 and w4");
    assertThat(refused("--cold", "--warm-up", "1s")).contains("--cold and --warm-up exclude");
    assertThat(refused("--overview", "nowhere.json")).contains("\"nowhere.json\" cannot be read");
    assertThat(refused("--jdbc-url", "jdbc:h2:mem:x")).contains("jdbc:postgresql://");
    assertThat(refused("--database", "oracle")).contains("\"oracle\" is unknown", "mariadb");
    assertThat(refused("--database", "mariadb", "--workload", "w5"))
        .contains("\"w5\" needs PostgreSQL; w1 to w4 run on MariaDB");
    assertThat(refused("--database", "mysql", "--jdbc-url", "jdbc:mysql://localhost/x"))
        .contains("--jdbc-url and --database exclude each other");
  }

  private static String refused(String... arguments) {
    StringWriter errors = new StringWriter();
    int code =
        new CommandLine(new Bench()).setErr(new PrintWriter(errors, true)).execute(arguments);
    assertThat(code).isEqualTo(CommandLine.ExitCode.USAGE);
    return errors.toString();
  }

  private List<JsonNode> bench(String... arguments) {
    Path json = directory.resolve("figures.json");
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--runs", "1", "--json", json.toString()));
    if (!all.contains("--cold")) {
      all.addAll(List.of("--warm-up", "0s"));
    }
    int code = new CommandLine(new Bench()).execute(all.toArray(String[]::new));
    List<JsonNode> figures = new ArrayList<>();
    JsonMapper.shared().readTree(json.toFile()).forEach(figures::add);
    assertThat(code).as("%s", figures).isZero();
    return figures;
  }
}
