/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.servers.PostgresServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(240)
class DemoCrashTest {
  private static final Pattern LAST_LINE =
      Pattern.compile(
          "published (\\d+), delivered (\\d+), lost 0, duplicated 0, out of order 0,"
              + " dead letters (\\d+) \\(retried and delivered (\\d+), left 0\\)");

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void everyCommittedMessageIsAccountedForThoughARelayIsKilled(@TempDir Path directory)
      throws Exception {
    Path json = directory.resolve("figures.json");

    int status = demo("--duration", "6s", "--rate", "200", "--json", json.toString());

    assertThat(status).as("output:%n%s%n%s", out, err).isZero();
    MatchResult figures = lastLine();
    long published = Long.parseLong(figures.group(1));
    long deadLetters = Long.parseLong(figures.group(3));
    assertThat(deadLetters).isBetween(1L, published - 1);
    assertThat(figures.group(2)).as("delivered").isEqualTo(figures.group(1));
    assertThat(figures.group(4)).as("retried and delivered").isEqualTo(figures.group(3));
    assertThat(text(out)).contains("relay-2 killed", "relay-3 took over");
    assertOutageIsTold();
    assertRetryIsTold(deadLetters);
    assertSame(JsonMapper.builder().build().readTree(Files.readString(json)), figures);
  }

  private void assertOutageIsTold() {
    assertThat(text(out))
        .containsSubsequence(
            "the mail server goes down",
            "opened the circuit of \"mailer\"",
            "the mail server is back",
            "closed the circuit of \"mailer\" after");
    assertThat(text(out))
        .containsPattern("the mail server is back; [1-9]\\d* messages wait for it");
  }

  private void assertRetryIsTold(long deadLetters) {
    assertThat(text(out))
        .containsSubsequence(
            deadLetters + " dead letters of \"mailer\"; the first: ",
            "the address does not exist",
            "the addresses are mended; " + deadLetters + " dead letters retried",
            deadLetters + " of them delivered, 0 dead letters left");
  }

  private static void assertSame(JsonNode json, MatchResult line) {
    assertThat(json.get("published").asLong()).isEqualTo(Long.parseLong(line.group(1)));
    assertThat(json.get("delivered").asLong()).isEqualTo(Long.parseLong(line.group(2)));
    assertThat(json.get("deadLetters").asLong()).isEqualTo(Long.parseLong(line.group(3)));
    assertThat(json.get("deadLettersDelivered").asLong()).isEqualTo(Long.parseLong(line.group(4)));
    assertThat(json.get("circuitsOpened").asLong()).isPositive();
    assertThat(json.get("circuitsClosed").asLong()).isPositive();
    for (String name :
        List.of(
            "lost",
            "duplicated",
            "outOfOrder",
            "phantoms",
            "deadLettersLeft",
            "deadLettersUnexpected")) {
      assertThat(json.get(name).asLong()).as(name).isZero();
    }
    for (String name : List.of("rolledBack", "retries", "explainedDuplicates", "seconds")) {
      assertThat(json.get(name).isNumber()).as(name).isTrue();
    }
  }

  @Test
  void demoOnAUsersDatabaseLeavesNothingBehindAndTellsNoPassword() throws Exception {
    String url = PostgresServer.shared().freshDatabase() + "&password=verysecret";

    int status = demo("--duration", "5s", "--rate", "50", "--jdbc-url", url);

    assertThat(status).as("output:%n%s%n%s", out, err).isZero();
    assertThat(text(out) + text(err)).doesNotContain("verysecret", "jdbc:postgresql");
    assertThat(relations(url)).isEmpty();
  }

  @Test
  void tablesThatNoDemoMadeAreLeftAlone() throws Exception {
    String url = PostgresServer.shared().freshDatabase();
    execute(url, "CREATE TABLE demo_order (mine integer)");

    int status = demo("--jdbc-url", url);

    assertThat(status).isEqualTo(1);
    assertThat(text(err)).contains("demo_order", "no demo made");
    assertThat(relations(url)).containsExactly("demo_order");
  }

  @Test
  void databaseThatCannotBeReachedIsNamedWithoutItsPassword() {
    int status =
        demo("--jdbc-url", "jdbc:postgresql://127.0.0.1:1/shop?user=me&password=verysecret");

    assertThat(status).isEqualTo(1);
    assertThat(text(err)).startsWith("demo: ").doesNotContain("verysecret");
  }

  private int demo(String... words) {
    return Demo.run(
        List.of(words),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private MatchResult lastLine() {
    String last = text(out).lines().reduce("", (before, line) -> line);
    Matcher matcher = LAST_LINE.matcher(last);
    assertThat(matcher.matches()).as(last).isTrue();
    return matcher.toMatchResult();
  }

  private static void execute(String url, String sql) throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<String> relations(String url) throws Exception {
    List<String> names = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace")) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    return names;
  }
}
