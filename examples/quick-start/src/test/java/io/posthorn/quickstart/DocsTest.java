/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Code in the documents is code that compiles. */
class DocsTest {
  private static final Pattern SHOWN = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern COMPILED =
      Pattern.compile("// docs:begin\n(.*?) *// docs:end", Pattern.DOTALL);
  private static final Path EXAMPLES = Path.of("src/main/java/io/posthorn/quickstart");
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

  private static List<String> all(Pattern pattern, String text) {
    List<String> found = new ArrayList<>();
    for (Matcher matcher = pattern.matcher(text); matcher.find(); ) {
      found.add(
          matcher.group(1).stripTrailing().stripIndent().strip().replaceFirst("^return ", ""));
    }
    return found;
  }

  private static List<String> compiled() throws IOException {
    return List.of(
            Files.readString(EXAMPLES.resolve("WhenDeliveryFails.java")),
            Files.readString(EXAMPLES.resolve("DealingWithDeadLetters.java")))
        .stream()
        .flatMap(source -> all(COMPILED, source).stream())
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"failures.md", "operations.md"})
  void theCodeOfADocumentIsThatOfTheExamples(String document) throws IOException {
    List<String> shown = all(SHOWN, Files.readString(ROOT.resolve("docs").resolve(document)));
    assertThat(shown).isNotEmpty();
    assertThat(compiled()).containsAll(shown);
  }

  @Test
  void everyExampleIsShown() throws IOException {
    List<String> shown = new ArrayList<>();
    for (String document : List.of("failures.md", "operations.md")) {
      shown.addAll(all(SHOWN, Files.readString(ROOT.resolve("docs").resolve(document))));
    }
    assertThat(shown).containsAll(compiled());
  }
}
