/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadmeTest {
  private static final String BEGIN = "// readme:begin\n";

  @ParameterizedTest
  @ValueSource(strings = {"OrderPlaced", "OrderService", "Mailer"})
  void theReadmeShowsTheCodeOfTheShop(String type) throws IOException {
    Path root = Path.of("").toAbsolutePath().getParent().getParent();
    String source =
        Files.readString(
            root.resolve("examples/spring-shop/src/main/java/io/posthorn/shop/" + type + ".java"));
    String shown =
        source
            .substring(source.indexOf(BEGIN) + BEGIN.length(), source.indexOf("// readme:end"))
            .stripTrailing()
            .stripIndent()
            .strip();

    assertThat(Files.readString(root.resolve("README.md"))).contains(shown);
  }
}
