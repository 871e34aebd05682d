/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/**
 * What a command prints. Results go to standard output, everything else to standard error. Colours
 * and progress are for terminals only.
 */
final class Output {
  private static final int MAX_COLUMN = 60;
  private static final int MAX_LAST_COLUMN = 200;

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean json;
  private final boolean terminal;

  Output(CommandLine command, boolean json) {
    this.out = command.getOut();
    this.err = command.getErr();
    this.json = json;
    this.terminal = Terminal.isThere();
  }

  boolean json() {
    return json;
  }

  boolean terminal() {
    return terminal;
  }

  void json(JsonNode node) {
    try {
      out.println(AdminApi.JSON.writerWithDefaultPrettyPrinter().writeValueAsString(node));
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  void line(String text) {
    out.println(safe(text));
  }

  /** On standard error, so that it does not get into results. */
  void note(String text) {
    err.println(safe(text));
    err.flush();
  }

  /** Overwrites itself. */
  void progress(String text) {
    if (terminal && !json) {
      err.print("\r" + safe(text) + "\033[K");
      err.flush();
    }
  }

  void progressEnds() {
    if (terminal && !json) {
      err.print("\r\033[K");
      err.flush();
    }
  }

  /** Begins at the top of the screen again. */
  void clear() {
    if (terminal) {
      out.print("\033[H\033[2J");
      out.flush();
    }
  }

  void flush() {
    out.flush();
  }

  /** A line that is red on a terminal, unless NO_COLOR says otherwise. */
  void warn(String text) {
    boolean colours = terminal && System.getenv("NO_COLOR") == null;
    out.println(colours ? "\033[31m" + safe(text) + "\033[0m" : safe(text));
  }

  /** Columns as wide as they need to be; the first row is the heading. */
  void table(List<List<String>> rows) {
    List<Integer> widths = new ArrayList<>();
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        int width = cut(row, i).length();
        if (i == widths.size()) {
          widths.add(width);
        } else {
          widths.set(i, Math.max(widths.get(i), width));
        }
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        String text = cut(row, i);
        boolean last = i == row.size() - 1;
        line.append(text).append(last ? "" : " ".repeat(widths.get(i) - text.length() + 2));
      }
      out.println(line);
    }
  }

  private static String cut(List<String> row, int column) {
    String text = safe(row.get(column));
    int limit = column == row.size() - 1 ? MAX_LAST_COLUMN : MAX_COLUMN;
    return text.length() > limit ? text.substring(0, limit - 1) + "…" : text;
  }

  /** Texts of messages must not steer the terminal. */
  static String safe(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT) {
                safe.append('·');
              } else {
                safe.appendCodePoint(c);
              }
            });
    return safe.toString();
  }
}
