/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A relay in a process of its own, started by {@link RelayProcess}. Its standard input brings the
 * JDBC URL, which is nobody's business on a command line, and then nothing: its end is the sign to
 * stop, also when the demo was killed.
 */
final class SecondRelay {
  private static final int CONNECTIONS = 8;

  private SecondRelay() {}

  /**
   * @param arguments the relay's name, and the work directory
   */
  @SuppressWarnings("try") // the log file and the relay need no more than to be open
  public static void main(String[] arguments) throws Exception {
    String name = arguments[0];
    WorkDirectory directory = new WorkDirectory(Path.of(arguments[1]));
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String url = input.readLine();
    if (url == null) {
      return;
    }
    try (LogFile log = new LogFile(directory.log(name));
        ReceiptWriter receipts = new ReceiptWriter(name, directory.receipts(name));
        HikariDataSource pool = Database.pool(url, CONNECTIONS);
        Posthorn relay =
            DemoRelay.start(
                pool, new JdbcTransactions(pool), receipts, new MailServer(directory))) {
      while (input.read() >= 0) {
        // Waits for the end.
      }
    }
  }
}
