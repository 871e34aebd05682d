/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The receipts and logs of one run. */
record WorkDirectory(Path path) {
  static WorkDirectory create() throws IOException {
    return new WorkDirectory(Files.createTempDirectory("posthorn-demo-"));
  }

  Path receipts(String relay) {
    return path.resolve(relay + ".receipts");
  }

  Path log(String relay) {
    return path.resolve(relay + ".log");
  }

  /** What a relay's process prints: nothing, unless it cannot even start. */
  File output(String relay) {
    return path.resolve(relay + ".out").toFile();
  }

  /** What the audit noticed. */
  Path findings() {
    return path.resolve("findings.txt");
  }

  void delete() throws IOException {
    List<Path> files;
    try (Stream<Path> tree = Files.walk(path)) {
      files = tree.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : files) {
      Files.delete(file);
    }
  }
}
