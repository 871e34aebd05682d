/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import com.sun.management.OperatingSystemMXBean;
import io.posthorn.benchmarks.subject.DatabaseProduct;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Processor time that the JVM, with the JVMs it has started, and the database server have used, in
 * microseconds. It is far steadier than a rate where the machine is shared.
 *
 * @param server of all its processes, also of those that have ended; not a number if it is on
 *     another machine
 */
record ProcessorTime(double jvm, double server) {
  /** In which /proc counts processes that have ended: a hundredth of a second on Linux. */
  private static final double TICK_MICROS = 10_000;

  /** Behind the name of the process in /proc/PID/stat, counted from its state. */
  private static final int USER = 11;

  private static final int SYSTEM = 12;
  private static final int ENDED_CHILDREN_USER = 13;

  private static final int ENDED_CHILDREN_SYSTEM = 14;

  static ProcessorTime read(Stage stage) throws SQLException {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    double children =
        ProcessHandle.current()
            .children()
            .mapToLong(child -> child.info().totalCpuDuration().orElse(Duration.ZERO).toNanos())
            .sum();
    return new ProcessorTime((system.getProcessCpuTime() + children) / 1e3, server(stage));
  }

  private static double server(Stage stage) throws SQLException {
    boolean postgres = stage.product() == DatabaseProduct.POSTGRESQL;
    try (Connection connection = stage.connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(postgres ? "SELECT pg_backend_pid()" : "SELECT @@pid_file")) {
      row.next();
      return postgres
          ? ProcessHandle.of(row.getLong(1))
              .flatMap(ProcessHandle::parent)
              .map(ProcessorTime::server)
              .orElse(Double.NaN)
          : ofThreads(Path.of(row.getString(1)));
    }
  }

  /** Of a server with one process and many threads, also of those that have ended. */
  private static double ofThreads(Path pidFile) {
    try {
      long pid = Long.parseLong(Files.readString(pidFile).strip());
      String name = Files.readString(Path.of("/proc", Long.toString(pid), "comm"));
      return name.startsWith("mysqld") || name.startsWith("mariadbd")
          ? wholeProcess(Files.readString(Path.of("/proc", Long.toString(pid), "stat")))
          : Double.NaN;
    } catch (IOException | NumberFormatException e) {
      return Double.NaN; // on another machine
    }
  }

  private static double server(ProcessHandle postmaster) {
    try {
      if (!Files.readString(proc(postmaster, "comm")).startsWith("postgres")) {
        return Double.NaN;
      }
      double micros = endedChildren(Files.readString(proc(postmaster, "stat")));
      micros += onProcessor(postmaster);
      for (ProcessHandle process : postmaster.children().toList()) {
        micros += onProcessor(process);
      }
      return micros;
    } catch (IOException e) {
      return Double.NaN;
    }
  }

  private static double onProcessor(ProcessHandle process) throws IOException {
    try {
      return nanos(Files.readString(proc(process, "schedstat"))) / 1e3;
    } catch (IOException e) {
      if (process.isAlive()) {
        throw e;
      }
      return 0; // it has ended since it was listed
    }
  }

  private static Path proc(ProcessHandle process, String file) {
    return Path.of("/proc", Long.toString(process.pid()), file);
  }

  /**
   * @param stat of /proc, whose second field is a name in parentheses that may hold anything
   */
  static double endedChildren(String stat) {
    return micros(stat, ENDED_CHILDREN_USER, ENDED_CHILDREN_SYSTEM);
  }

  /**
   * @param stat as there
   */
  static double wholeProcess(String stat) {
    return micros(stat, USER, SYSTEM);
  }

  private static double micros(String stat, int user, int system) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return TICK_MICROS * (Long.parseLong(fields[user]) + Long.parseLong(fields[system]));
  }

  /**
   * @param schedstat of /proc: nanoseconds on a processor, nanoseconds waiting, turns
   */
  static long nanos(String schedstat) {
    return Long.parseLong(schedstat.substring(0, schedstat.indexOf(' ')));
  }

  /** What was used since then, for each message. */
  ProcessorTime perMessage(ProcessorTime then, long messages) {
    return new ProcessorTime((jvm - then.jvm) / messages, (server - then.server) / messages);
  }

  Outcome addTo(Outcome outcome) {
    return outcome.with(Outcome.JVM_MICROS, jvm).with(Outcome.SERVER_MICROS, server);
  }
}
