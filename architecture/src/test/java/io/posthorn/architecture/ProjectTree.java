/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The files of the project, found from the directory that Surefire runs in. */
final class ProjectTree {

  private static final String BOM = "posthorn-bom";

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
