/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.benchmarks.subject.Subjects;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A relay in a JVM of its own, steered by lines: the URL, then {@code start}, {@code count} and
 * {@code stop}, which writes what was handled into the file of the second argument. It ends with
 * its standard input.
 */
public final class CrowdMember {
  private final Stage stage;
  private Handling handling = new Handling();

  private CrowdMember(Stage stage) {
    this.stage = stage;
  }

  /**
   * @param arguments the subject and the file
   */
  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err);
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try (Stage stage =
        Stage.join(Subjects.named(arguments[0]).orElseThrow(), commands.readLine())) {
      CrowdMember member = new CrowdMember(stage);
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        answers.println(member.obey(line, Path.of(arguments[1])));
      }
    }
  }

  private String obey(String command, Path file) throws Exception {
    switch (command) {
      case "start" -> {
        handling = new Handling();
        stage.subject().startRelay(handling);
        return "started";
      }
      case "count" -> {
        return Integer.toString(handling.count());
      }
      case "stop" -> {
        stage.subject().stopRelay();
        write(file);
        return "stopped";
      }
      default -> throw new IllegalArgumentException("unknown command \"" + command + "\"");
    }
  }

  private void write(Path file) throws IOException {
    try (DataOutputStream output =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
      handling.log().writeTo(output);
    }
  }
}
