/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.soak;

import io.posthorn.verification.history.VitalsLog;
import io.posthorn.verification.history.VitalsLog.Vitals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Samples the figures of a run until it is stopped: those of processes from what they note
 * themselves, those of tables from the database.
 */
public final class Sampler {
  private static final double MIB = 1 << 20;

  private final Path directory;
  private final String url;
  private final String sizes;
  private final String steady;
  private final Duration interval;
  private final SoakReport report;
  private final Map<Path, Integer> linesRead = new HashMap<>(); // sampling thread only
  private final Thread thread = new Thread(this::work, "sampler");
  private volatile boolean stopped;
  private volatile boolean idle;

  /** What a process noted. */
  private record Note(boolean steady, Vitals vitals) {}

  private Sampler(Path directory, String url, String sizes, String steady, Duration interval)
      throws IOException {
    this.directory = directory;
    this.url = url;
    this.sizes = sizes;
    this.steady = steady;
    this.interval = interval;
    this.report = new SoakReport(directory.resolve("soak.csv"));
    thread.setDaemon(true);
  }

  /**
   * @param directory where processes note how they are
   * @param url of the database
   * @param sizes a query for bytes of tables and indexes, and dead rows
   * @param steady begins the name of a process that is never ended: what grows in a process is
   *     looked for there
   */
  public static Sampler start(
      Path directory, String url, String sizes, String steady, Duration interval)
      throws IOException {
    Sampler sampler = new Sampler(directory, url, sizes, steady, interval);
    sampler.thread.start();
    return sampler;
  }

  /** While everything comes to rest and is compared, nothing is sampled. */
  public void idle(boolean now) {
    idle = now;
  }

  /** Figures that have drifted so far; asked when it has stopped. */
  public List<String> drifts() {
    return report.drifts();
  }

  /** In Markdown; asked when it has stopped. */
  public String table() {
    return report.table();
  }

  /** Ends the sampling, and writes down how the figures changed. */
  public void stop() throws InterruptedException, IOException {
    stopped = true;
    thread.interrupt();
    thread.join();
    Files.writeString(directory.resolve("soak.md"), table());
  }

  private void work() {
    long begun = System.nanoTime();
    while (!stopped) {
      try {
        Thread.sleep(interval.toMillis());
        Map<Figure, Double> sample = new EnumMap<>(Figure.class);
        processes(sample);
        tables(sample);
        if (!idle) {
          report.add(Duration.ofNanos(System.nanoTime() - begun).toSeconds(), sample);
        }
      } catch (InterruptedException e) {
        return;
      } catch (IOException e) {
        System.err.println("no sample: " + e);
      }
    }
  }

  private void processes(Map<Figure, Double> sample) throws IOException {
    List<Note> notes = news();
    Runtime runtime = Runtime.getRuntime();
    sample.put(Figure.HARNESS_HEAP_MIB, (runtime.totalMemory() - runtime.freeMemory()) / MIB);
    if (notes.isEmpty()) {
      return;
    }
    List<Vitals> all = notes.stream().map(Note::vitals).toList();
    sample.put(
        Figure.DELIVERIES_PER_SECOND,
        all.stream().mapToLong(Vitals::deliveries).sum() / (interval.toMillis() / 1e3));
    sample.put(Figure.MEDIAN_LATENCY_MS, median(all, Vitals::median));
    sample.put(Figure.SLOW_LATENCY_MS, median(all, Vitals::slow));
    List<Vitals> steadyOnes = notes.stream().filter(Note::steady).map(Note::vitals).toList();
    if (!steadyOnes.isEmpty()) {
      // The least of some values has the least garbage in it.
      sample.put(
          Figure.HEAP_MIB,
          steadyOnes.stream().mapToDouble(Vitals::heapBytes).min().orElse(0) / MIB);
      sample.put(Figure.THREADS, median(steadyOnes, Vitals::threads));
      sample.put(Figure.FILE_HANDLES, median(steadyOnes, Vitals::handles));
    }
  }

  private static double median(List<Vitals> vitals, ToDoubleFunction<Vitals> figure) {
    return vitals.stream()
        .mapToDouble(figure)
        .sorted()
        .skip(vitals.size() / 2)
        .findFirst()
        .orElse(0);
  }

  /** What was noted since the last sample. */
  private List<Note> news() throws IOException {
    List<Note> news = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.startsWith(VitalsLog.PREFIX)) {
          List<String> lines = Files.readAllLines(file);
          lines.stream()
              .skip(linesRead.getOrDefault(file, 0))
              .flatMap(line -> Vitals.parse(line).stream())
              .map(vitals -> new Note(name.startsWith(VitalsLog.PREFIX + steady), vitals))
              .forEach(news::add);
          linesRead.put(file, lines.size());
        }
      }
    }
    return news;
  }

  private void tables(Map<Figure, Double> sample) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sizes)) {
      row.next();
      sample.put(Figure.TABLES_MIB, row.getDouble(1) / MIB);
      sample.put(Figure.INDEXES_MIB, row.getDouble(2) / MIB);
      sample.put(Figure.DEAD_TUPLES, row.getDouble(3));
    } catch (SQLException e) {
      // The database is away, as planned.
    }
  }
}
