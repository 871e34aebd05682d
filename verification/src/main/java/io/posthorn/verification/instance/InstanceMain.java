/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.test.fault.FaultyStore;
import io.posthorn.verification.database.TestedDatabase;
import io.posthorn.verification.history.History;
import io.posthorn.verification.history.InterventionLog;
import io.posthorn.verification.history.TruthLog;
import io.posthorn.verification.history.VitalsLog;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One application instance: writers, and a relay with handlers. Standard input brings the URL, then
 * commands; the instance stops in the orderly way when it ends.
 */
public final class InstanceMain {
  /** Tells writers and operators to stop; the relay goes on. */
  public static final String QUIET = "quiet";

  /** The command to begin to publish. */
  public static final String WRITE = "write";

  /** Takes all connections of the pool for some milliseconds. */
  public static final String DRAIN_POOL = "drain-pool ";

  /** Pauses the relay for some milliseconds. */
  public static final String PAUSE_RELAY = "pause-relay ";

  /** Resumes and unblocks whatever operators have left. */
  public static final String TIDY = "tidy";

  /** Unblocks lanes that dead letters have blocked. */
  public static final String UNBLOCK = "unblock";

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(3);
  private static final int RESERVE = 4;

  private final InstanceSettings settings;
  private final HikariDataSource pool;
  private final Writers writers;
  private final Operator operator;

  private InstanceMain(
      InstanceSettings settings, HikariDataSource pool, Writers writers, Operator operator) {
    this.settings = settings;
    this.pool = pool;
    this.writers = writers;
    this.operator = operator;
  }

  /**
   * @param arguments as {@link InstanceSettings#arguments()} has them
   */
  public static void main(String[] arguments) throws Exception {
    InstanceSettings settings = InstanceSettings.parse(arguments);
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    String url = commands.readLine();
    CrashPoint crash = new CrashPoint(settings.crash());
    TestedDatabase database = settings.database();
    try (HikariDataSource pool = pool(database.named(url, settings.life()), settings.tuning());
        HikariDataSource operatorPool =
            operatorPool(database.named(url, TestedDatabase.OPERATOR))) {
      JdbcTransactions transactions = new JdbcTransactions(pool);
      TruthLog truth = new TruthLog(History.truthFile(settings.directory(), settings.life()));
      FaultyStore store = new FaultyStore(JdbcMessageStore.builder(pool).build());
      crash.plan(store);
      VitalsMonitor vitals =
          new VitalsMonitor(new VitalsLog(settings.directory(), settings.life()));
      vitals.start();
      Posthorn posthorn = new RelaySetup(settings, transactions, truth, vitals, crash).start(store);
      Writers writers = new Writers(settings, transactions, posthorn.outbox(), truth, crash);
      Operator operator = operator(settings, operatorPool, posthorn);
      BrokerConsumers consumers = new BrokerConsumers(settings, pool, transactions);
      consumers.start();
      new InstanceMain(settings, pool, writers, operator).obey(commands);
      writers.stop();
      operator.stop();
      consumers.stop();
      posthorn.stop(STOP_TIMEOUT);
    }
    System.exit(0);
  }

  private static Operator operator(
      InstanceSettings settings, HikariDataSource pool, Posthorn posthorn) throws IOException {
    Posthorn own =
        Posthorn.publishOnly(JdbcMessageStore.builder(pool).build(), new JdbcTransactions(pool))
            .build();
    return new Operator(
        own.admin(),
        posthorn.relay(),
        new InterventionLog(History.interventionFile(settings.directory(), settings.life())),
        new Random(settings.seed()),
        settings.handlers());
  }

  private static HikariDataSource operatorPool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(2);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(CONNECT_PATIENCE.toMillis());
    config.setInitializationFailTimeout(-1);
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    return new HikariDataSource(config);
  }

  private static HikariDataSource pool(String url, Tuning tuning) {
    HikariConfig config = new HikariConfig();
    if (tuning.promptPool()) {
      config.setDataSource(new PromptDataSource(url, CONNECT_PATIENCE));
    } else {
      config.setJdbcUrl(url);
    }
    config.setMaximumPoolSize(tuning.connections());
    config.setMinimumIdle(RESERVE);
    config.setAutoCommit(tuning.autoCommit());
    config.setConnectionTimeout(CONNECT_PATIENCE.toMillis());
    config.setInitializationFailTimeout(-1); // it may be born into an outage
    // If the very first connection breaks while HikariCP asks it for its level, it never opens one.
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    return new HikariDataSource(config);
  }

  private void obey(BufferedReader commands) throws IOException, InterruptedException {
    for (String command = commands.readLine(); command != null; command = commands.readLine()) {
      if (command.equals(WRITE)) {
        writers.start();
        if (settings.operator()) {
          operator.start();
        }
      } else if (command.equals(QUIET)) {
        writers.stop();
        operator.stop();
        Files.createFile(History.quietFile(settings.directory(), settings.life()));
      } else if (command.equals(UNBLOCK)) {
        operator.unblock();
      } else if (command.equals(TIDY)) {
        operator.tidyUp();
      } else if (command.startsWith(DRAIN_POOL)) {
        drain(pool, Long.parseLong(command.substring(DRAIN_POOL.length())));
      } else if (command.startsWith(PAUSE_RELAY)) {
        operator.pauseRelay(Long.parseLong(command.substring(PAUSE_RELAY.length())));
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
