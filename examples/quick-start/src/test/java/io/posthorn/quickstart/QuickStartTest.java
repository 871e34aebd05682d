/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class QuickStartTest {
  @Test
  void theQuickStartDeliversItsOrder() throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      QuickStart.main(new String[0]);
    } finally {
      System.setOut(before);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("mail about Order[id=o-1, customer=ada]");
  }

  @Test
  void theReadmeShowsTheQuickStartAsItIs() throws Exception {
    Path root = Path.of("").toAbsolutePath().getParent().getParent();
    String source =
        Files.readString(
            root.resolve(
                "examples/quick-start/src/main/java/io/posthorn/quickstart/QuickStart.java"));
    String shown =
        source
            .substring(
                source.indexOf("// readme:begin\n") + "// readme:begin\n".length(),
                source.indexOf("    // readme:end"))
            .stripTrailing()
            .stripIndent()
            .strip();
    assertThat(Files.readString(root.resolve("README.md"))).contains(shown);
    assertThat(shown.lines().filter(line -> !line.isBlank()).count()).isLessThan(20);
  }
}
