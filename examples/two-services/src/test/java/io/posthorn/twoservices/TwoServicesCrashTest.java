/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.twoservices;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class TwoServicesCrashTest {
  @Test
  void eachOrderIsCountedOnceAlthoughBothServicesAreKilled() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    TwoServices run = new TwoServices(new PrintStream(out, true, StandardCharsets.UTF_8));

    int status = new CommandLine(run).execute("--seconds", "7", "--kill-every", "2");

    String said = out.toString(StandardCharsets.UTF_8);
    assertThat(said).contains("each order was counted exactly once").contains("killed the ");
    assertThat(status).isZero();
  }

  @Test
  void differencesAreFound() {
    Books books =
        new Books(
            Map.of(1L, 1, 2L, 1, 3L, 1),
            Map.of(1L, 1, 2L, 2, 4L, 1),
            Map.of("a", 3L),
            Map.of("a", 4L),
            5);

    assertThat(books.differences())
        .containsExactlyInAnyOrderElementsOf(
            List.of(
                "order 3 was not taken",
                "order 2 was taken 2 times",
                "order 4 was taken but never placed",
                "the sums by item differ: {a=3} ordered, {a=4} taken"));
  }
}
