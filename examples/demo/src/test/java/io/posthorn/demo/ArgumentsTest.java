/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentsTest {

  @Test
  void everythingHasADefault() {
    Arguments arguments = new Arguments(List.of());

    assertThat(arguments.settings())
        .isEqualTo(new Settings(Duration.ofSeconds(20), 500, Product.POSTGRESQL, null, null));
    assertThat(arguments.problems()).isEmpty();
  }

  @Test
  void valuesFollowTheirOptionOrAnEqualsSign(@TempDir Path directory) {
    Path json = directory.resolve("figures.json");
    Arguments arguments =
        new Arguments(
            List.of(
                "--duration",
                "2m",
                "--rate=7",
                "--jdbc-url=jdbc:postgresql://db/shop?user=me&password=p=q",
                "--json",
                json.toString()));

    assertThat(arguments.settings())
        .isEqualTo(
            new Settings(
                Duration.ofMinutes(2),
                7,
                Product.POSTGRESQL,
                "jdbc:postgresql://db/shop?user=me&password=p=q",
                json));
    assertThat(arguments.problems()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "--duration, 20, such as 30s or 2m",
    "--duration, -5s, such as 30s or 2m",
    "--duration, 4s, between 5s and 60m",
    "--duration, 61m, between 5s and 60m",
    "--rate, 0, 1 to 20000",
    "--rate, many, 1 to 20000",
    "--rate, 20001, 1 to 20000",
    "--jdbc-url, jdbc:oracle://db/shop, must name a database of postgresql",
    "--database, oracle, 'must be one of postgresql, mariadb, mysql'",
    "--json, /no/such/directory/file, create it",
    "--fast, yes, 'must be one of --duration, --rate, --database, --jdbc-url, --json'"
  })
  void badValueIsRefusedWithTheFix(String option, String value, String fix) {
    Arguments arguments = new Arguments(List.of(option, value));
    arguments.settings();

    assertThat(arguments.problems().get(0)).contains(option).contains(fix);
  }

  @Test
  void allProblemsAreReportedTogether() {
    Arguments arguments = new Arguments(List.of("--rate", "x", "--rate", "y", "--duration"));
    arguments.settings();

    assertThat(arguments.problems())
        .containsExactly(
            "--rate was given twice; give it once",
            "--duration was the last word but needs a value after it",
            "--rate was \"y\" but must be a whole number of messages a second, 1 to 20000");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--rate=none", "surprise"})
  void badArgumentsEndTheDemoWithStatusTwo(String word) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();

    int status =
        Demo.run(List.of(word), System.out, new PrintStream(err, true, StandardCharsets.UTF_8));

    assertThat(status).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("demo: ").contains("--help");
  }

  @Test
  void helpNamesEveryOption() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    int status =
        Demo.run(List.of("--help"), new PrintStream(out, true, StandardCharsets.UTF_8), System.err);

    assertThat(status).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("--duration", "--rate", "--jdbc-url", "--json");
  }
}
