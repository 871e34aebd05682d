/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The file into which a server prints. */
record ServerLog(Path file) {

  private static final int TAIL_LINES = 30;

  /** The last lines, as the end of a failure's message. */
  String tail() {
    try {
      List<String> lines =
          new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines().toList();
      int first = Math.max(0, lines.size() - TAIL_LINES);
      return "Its log ends:\n" + String.join("\n", lines.subList(first, lines.size()));
    } catch (IOException e) {
      return "Its log cannot be read: " + e;
    }
  }
}
