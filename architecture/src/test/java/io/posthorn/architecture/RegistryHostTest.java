/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.architecture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Where packages come from is a matter of the machine that builds, not of this tree. */
class RegistryHostTest {

  // Put together here, so that this file does not find itself.
  private static final List<String> HOSTS =
      List.of("repo" + ".maven", "repo1" + ".maven", "registry" + ".npmjs");
  private static final Set<String> NOT_IN_THE_TREE =
      Set.of(".git", "target", "node_modules", ".idea", ".vscode");

  @Test
  void noFileNamesThePackageRegistry() throws IOException {
    List<Path> offenders = new ArrayList<>();
    Files.walkFileTree(
        ProjectTree.root(),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            return NOT_IN_THE_TREE.contains(directory.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile()) {
              String text = Files.readString(file, ISO_8859_1);
              if (HOSTS.stream().anyMatch(text::contains)) {
                offenders.add(file);
              }
            }
            return FileVisitResult.CONTINUE;
          }
        });

    assertThat(offenders).isEmpty();
  }
}
