/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Processor time that this JVM and the database server have used, in seconds. It is far steadier
 * than a rate where the machine is shared.
 *
 * @param server of its processes that are alive; not a number if it is on another machine
 */
record ProcessorTime(double jvm, double server) {
  static ProcessorTime read(Stage stage) throws SQLException {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return new ProcessorTime(system.getProcessCpuTime() / 1e9, server(stage));
  }

  private static double server(Stage stage) throws SQLException {
    try (Connection connection = stage.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      return ProcessHandle.of(row.getLong(1))
          .flatMap(ProcessHandle::parent)
          .filter(server -> server.info().command().orElse("").endsWith("postgres"))
          .map(server -> server.children().mapToDouble(ProcessorTime::seconds).sum())
          .orElse(Double.NaN);
    }
  }

  private static double seconds(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9;
  }

  /** Adds what was used since then, for each message. */
  Outcome addTo(Outcome outcome, ProcessorTime then, long messages) {
    return outcome
        .with("jvmMicros", (jvm - then.jvm) * 1e6 / messages)
        .with("serverMicros", (server - then.server) * 1e6 / messages);
  }
}
