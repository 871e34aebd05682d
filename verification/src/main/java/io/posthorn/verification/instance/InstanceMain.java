/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.test.fault.FaultyStore;
import io.posthorn.verification.history.History;
import io.posthorn.verification.history.ReceiptLog;
import io.posthorn.verification.history.TruthLog;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One application instance: writers, and a relay with handlers. Standard input brings the URL, then
 * commands; the instance stops in the orderly way when it ends.
 */
public final class InstanceMain {
  /** Tells the writers to stop; the relay goes on. */
  public static final String QUIET = "quiet";

  /** The command to begin to publish. */
  public static final String WRITE = "write";

  /** Takes all connections of the pool for some milliseconds. */
  public static final String DRAIN_POOL = "drain-pool ";

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(3);
  private static final int RESERVE = 4;

  private InstanceMain() {}

  /**
   * @param arguments as {@link InstanceSettings#arguments()} has them
   */
  public static void main(String[] arguments) throws Exception {
    InstanceSettings settings = InstanceSettings.parse(arguments);
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    CrashPoint crash = new CrashPoint(settings.crash());
    try (HikariDataSource pool = pool(commands.readLine())) {
      JdbcTransactions transactions = new JdbcTransactions(pool);
      Posthorn posthorn = start(settings, pool, transactions, crash);
      Writers writers =
          new Writers(
              settings,
              transactions,
              posthorn.outbox(),
              new TruthLog(History.truthFile(settings.directory(), settings.life())),
              crash);
      obey(commands, writers, pool, History.quietFile(settings.directory(), settings.life()));
      writers.stop();
      posthorn.stop(STOP_TIMEOUT);
    }
    System.exit(0);
  }

  private static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(InstanceSettings.CONNECTIONS);
    config.setMinimumIdle(RESERVE);
    config.setConnectionTimeout(CONNECT_PATIENCE.toMillis());
    config.setInitializationFailTimeout(-1); // it may be born into an outage
    // If the very first connection breaks while HikariCP asks it for its level, it never opens one.
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    return new HikariDataSource(config);
  }

  private static Posthorn start(
      InstanceSettings settings,
      HikariDataSource pool,
      JdbcTransactions transactions,
      CrashPoint crash)
      throws IOException, InterruptedException {
    FaultyStore store = new FaultyStore(JdbcMessageStore.builder(pool).build());
    crash.plan(store);
    Receivers receivers =
        new Receivers(
            new ReceiptLog(
                settings.life(), History.receiptFile(settings.directory(), settings.life())),
            crash);
    Posthorn.Builder builder =
        Posthorn.inOneProcess(store, transactions)
            .clock(Clock.offset(Clock.systemUTC(), settings.skew()))
            .publish(publish -> publish.acceptUnhandledTypes(true))
            .relay(
                relay ->
                    relay
                        .name(settings.life())
                        .leaseDuration(InstanceSettings.LEASE)
                        .heartbeatInterval(InstanceSettings.HEARTBEAT)
                        .windowMessages(InstanceSettings.WINDOW)
                        .workers(InstanceSettings.WORKERS)
                        .timeLimit(InstanceSettings.TIME_LIMIT)
                        .retry(
                            RetryPolicy.fixed(Duration.ofMillis(200), InstanceSettings.ATTEMPTS)));
    settings.handlers().forEach(name -> builder.handler(receivers.handler(name)));
    while (true) {
      try {
        return builder.start();
      } catch (RuntimeException e) { // the database may be away: a supervisor would start it again
        e.printStackTrace();
        Thread.sleep(200);
      }
    }
  }

  private static void obey(
      BufferedReader commands, Writers writers, HikariDataSource pool, Path quietFile)
      throws IOException, InterruptedException {
    for (String command = commands.readLine(); command != null; command = commands.readLine()) {
      if (command.equals(WRITE)) {
        writers.start();
      } else if (command.equals(QUIET)) {
        writers.stop();
        Files.createFile(quietFile);
      } else if (command.startsWith(DRAIN_POOL)) {
        drain(pool, Long.parseLong(command.substring(DRAIN_POOL.length())));
      }
    }
  }

  private static void drain(HikariDataSource pool, long millis) throws InterruptedException {
    List<Connection> taken = new ArrayList<>();
    long end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
    while (System.nanoTime() < end) {
      try {
        taken.add(pool.getConnection());
      } catch (SQLException e) { // there are no more, as wanted
        Thread.sleep(10);
      }
    }
    for (Connection connection : taken) {
      try {
        connection.close();
      } catch (SQLException e) {
        System.err.println(e); // it was broken meanwhile, as planned
      }
    }
  }
}
