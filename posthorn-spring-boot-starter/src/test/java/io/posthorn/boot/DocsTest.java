/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the document shows of an example is code that compiles and is tested. */
class DocsTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Pattern SHOWN = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern COMPILED =
      Pattern.compile("// docs:begin\n(.*?) *// docs:end", Pattern.DOTALL);

  private static List<String> all(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(found -> found.group(1).stripTrailing().stripIndent().strip())
        .toList();
  }

  @Test
  void theCodeForSeveralDataSourcesIsThatOfTheExample() throws IOException {
    String document = Files.readString(ROOT.resolve("docs/spring.md"));
    String section = document.split("\n## Several data sources\n", -1)[1].split("\n## ", -1)[0];
    String example =
        Files.readString(
            ROOT.resolve(
                "posthorn-spring-boot-starter/src/test/java/io/posthorn/boot/example/TwoDatabases.java"));

    assertThat(all(SHOWN, section)).isNotEmpty().isEqualTo(all(COMPILED, example));
  }
}
