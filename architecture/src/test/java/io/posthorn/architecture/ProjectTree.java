/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The files of the project, found from the directory that Surefire runs in. */
final class ProjectTree {

  private static final String BOM = "posthorn-bom";
  private static final Set<String> NOT_IN_THE_TREE =
      Set.of(".git", "target", "node_modules", ".idea", ".vscode");

  private ProjectTree() {}

  static Path root() {
    Path start = Path.of("").toAbsolutePath();
    for (Path directory = start; directory != null; directory = directory.getParent()) {
      if (Files.isRegularFile(directory.resolve(BOM).resolve("pom.xml"))) {
        return directory;
      }
    }
    throw new IllegalStateException("No directory above \"" + start + "\" holds " + BOM);
  }

  static Path bom() {
    return root().resolve(BOM).resolve("pom.xml");
  }

  /** All files but what the build, Git or an editor has made. */
  static List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        root(),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            return NOT_IN_THE_TREE.contains(directory.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return files;
  }

  /** Names of the modules that users can depend on: every {@code posthorn-*} but the BOM itself. */
  static Set<String> publishedModules() {
    try (Stream<Path> children = Files.list(root())) {
      Set<String> names = new TreeSet<>();
      children
          .filter(child -> Files.isRegularFile(child.resolve("pom.xml")))
          .map(child -> child.getFileName().toString())
          .filter(name -> name.startsWith("posthorn-") && !name.equals(BOM))
          .forEach(names::add);
      return names;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
