/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;

/** The command {@code bin/demo}. */
public final class Demo {
  /** The writers of the order service, five connections of the relay, and a few for looking. */
  private static final int CONNECTIONS = OrderService.WRITERS + 5 + 3;

  private final PrintStream out;
  private final PrintStream err;

  private Demo(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  public static void main(String[] arguments) {
    System.exit(run(List.of(arguments), System.out, System.err));
  }

  /**
   * Runs the whole demo.
   *
   * @return the exit status
   */
  static int run(List<String> words, PrintStream out, PrintStream err) {
    if (words.contains("--help") || words.contains("-h")) {
      out.print(usage());
      return 0;
    }
    Arguments arguments = new Arguments(words);
    Settings settings = arguments.settings();
    if (!arguments.problems().isEmpty()) {
      arguments.problems().forEach(problem -> err.println("demo: " + problem));
      err.println("demo: see bin/demo --help");
      return 2;
    }
    return new Demo(out, err).run(settings);
  }

  private static String usage() {
    try (InputStream usage = Demo.class.getResourceAsStream("usage.txt")) {
      if (usage == null) {
        throw new IllegalStateException("usage.txt is not on the class path");
      }
      return new String(usage.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("usage.txt could not be read", e);
    }
  }

  private int run(Settings settings) {
    Secrets secrets = new Secrets(settings.jdbcUrl());
    try {
      WorkDirectory directory = WorkDirectory.create();
      boolean good = false;
      try {
        good = run(settings, directory);
      } finally {
        cleanUp(directory, good);
      }
      return good ? 0 : 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    } catch (Exception e) { // the edge of the program
      err.println("demo: " + secrets.takenOutOf(String.valueOf(e.getMessage())));
      return 1;
    }
  }

  private void cleanUp(WorkDirectory directory, boolean good) throws IOException {
    if (good) {
      directory.delete();
    } else {
      err.println("demo: something went wrong; receipts and logs are in " + directory.path());
    }
  }

  @SuppressWarnings("try") // the log file needs no more than to be open
  private boolean run(Settings settings, WorkDirectory directory) throws Exception {
    LiveView view = new LiveView(out, Boolean.getBoolean("posthorn.demo.terminal"));
    try (LogFile log = new LogFile(directory.log("relay-1"));
        Database database = Database.open(settings.product(), settings.jdbcUrl());
        HikariDataSource pool = database.pool(CONNECTIONS);
        Connection lock = pool.getConnection()) {
      database.lock(lock);
      view.line(
          "placing orders for %d s, %d messages a second, on %s"
              .formatted(settings.duration().toSeconds(), settings.rate(), database.title()));
      try (DemoTables tables = DemoTables.create(database.product(), pool)) {
        DemoRun.Stage stage = new DemoRun.Stage(directory, database.url(), pool, tables, view);
        return report(new DemoRun(settings, stage).run(), settings, view);
      }
    }
  }

  private static boolean report(Outcome outcome, Settings settings, LiveView view)
      throws IOException {
    Path json = settings.json();
    if (json != null) {
      Files.writeString(json, outcome.json());
    }
    outcome.lines().forEach(view::line);
    return outcome.good();
  }
}
