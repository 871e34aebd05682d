/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Java code in the documents is code that compiles: a source has the same lines between {@code
 * docs:begin} and {@code docs:end}, each in a comment of its own. Where a document shows an
 * expression, these lines may return it.
 */
class DocsTest {
  private static final Pattern SHOWN = between("```java", "```");
  private static final Pattern COMPILED = between(" *// docs:begin", " *// docs:end");
  private static final Pattern SOURCE = Pattern.compile(".*/src/(main|test)/java/.*\\.java");
  private static final int QUICK_STARTS = 2; // With Spring Boot, and without a framework.
  private static final int MAX_LINES_PER_QUICK_START = 45;

  /** Lines of a file, without the indentation that they have in common. */
  private record Code(Path file, String text) {
    String place() {
      return ProjectTree.root().relativize(file) + ": " + text.lines().findFirst().orElse("");
    }
  }

  private static Pattern between(String begin, String end) {
    return Pattern.compile(
        "^" + begin + "\n(.*?)^" + end + "$", Pattern.DOTALL | Pattern.MULTILINE);
  }

  private static List<Code> all(Pattern pattern, Path file) throws IOException {
    return pattern
        .matcher(Files.readString(file))
        .results()
        .map(found -> new Code(file, found.group(1).stripTrailing().stripIndent().strip()))
        .toList();
  }

  private static List<Code> shown() throws IOException {
    List<Code> blocks = new ArrayList<>(all(SHOWN, ProjectTree.root().resolve("README.md")));
    try (Stream<Path> children = Files.list(ProjectTree.root().resolve("docs"))) {
      for (Path file :
          children.filter(child -> child.toString().endsWith(".md")).sorted().toList()) {
        blocks.addAll(all(SHOWN, file));
      }
    }
    return blocks;
  }

  private static List<Code> compiled() throws IOException {
    List<Code> regions = new ArrayList<>();
    for (Path file : ProjectTree.files()) {
      if (SOURCE.matcher(file.toUri().getPath()).matches()) {
        for (Code code : all(COMPILED, file)) {
          regions.add(new Code(file, code.text().replaceFirst("^return ", "")));
        }
      }
    }
    return regions;
  }

  /** Where the code is that the others do not have. */
  private static List<String> missing(List<Code> code, List<Code> others) {
    Set<String> texts = others.stream().map(Code::text).collect(Collectors.toSet());
    return code.stream().filter(each -> !texts.contains(each.text())).map(Code::place).toList();
  }

  @Test
  void whatADocumentShowsIsCompiled() throws IOException {
    assertThat(shown()).isNotEmpty();
    assertThat(missing(shown(), compiled()))
        .as("Java blocks of documents that no source has between docs:begin and docs:end")
        .isEmpty();
  }

  @Test
  void whatIsCompiledForDocumentsIsShown() throws IOException {
    assertThat(missing(compiled(), shown()))
        .as("code between docs:begin and docs:end that is no Java block of a document")
        .isEmpty();
  }

  @Test
  void theQuickStartsAreCompleteAndShort() throws IOException {
    List<Code> programs =
        all(SHOWN, ProjectTree.root().resolve("README.md")).stream()
            .filter(code -> code.text().contains("public static void main"))
            .toList();

    assertThat(programs)
        .hasSize(QUICK_STARTS)
        .allSatisfy(
            program -> {
              assertThat(program.text()).startsWith("import ");
              assertThat(
                      program
                          .text()
                          .lines()
                          .filter(line -> !line.isBlank() && !line.startsWith("import ")))
                  .hasSizeLessThanOrEqualTo(MAX_LINES_PER_QUICK_START);
            });
  }
}
