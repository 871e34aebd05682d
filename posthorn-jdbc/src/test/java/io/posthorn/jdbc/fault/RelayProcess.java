/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.sql.Connection;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A relay, to be run in a JVM of its own and steered by lines on its standard input: {@code hold
 * handler}, {@code hold statement <text>}, {@code hold commit} of the transactional handler, and
 * {@code release} of each. It ends with its standard input.
 */
final class RelayProcess {
  /** A retry would only depend on how fast the machine is. */
  private static final RetryPolicy NOT_IN_THIS_TEST =
      RetryPolicy.exponential(Duration.ofHours(1), Duration.ofHours(1), 10);

  static final Duration LEASE = Duration.ofSeconds(2);
  static final Duration HEARTBEAT = Duration.ofMillis(500);
  static final int WORKERS = 4;
  static final String AT_STATEMENT = "at statement";
  static final String AT_COMMIT = "at commit";
  static final String EXPELLED = "expelled";

  private final String name;
  private final HikariDataSource pool;
  private final Gate handler = new Gate();
  private final Gate statement = new Gate();
  private final Gate commit = new Gate();

  private RelayProcess(String url, String name) {
    this.name = name;
    this.pool = LiveDatabase.pool(url, name, 20);
  }

  public static void main(String[] arguments) throws IOException {
    RelayProcess process = new RelayProcess(arguments[0], arguments[1]);
    process.start();
    process.obey();
    Runtime.getRuntime().halt(0);
  }

  private void start() {
    DataSource dataSource = statement.before(pool);
    JdbcTransactions transactions = new JdbcTransactions(dataSource);
    builder(name, dataSource, transactions)
        .handler("shipping", "order", String.class, this::handle)
        .handler(ledger(name, transactions, () -> commit.pass("commit")))
        .listener(
            new RelayListener() {
              @Override
              public void expelled(RelayIdentity identity) {
                say(EXPELLED);
              }
            })
        .start();
  }

  /** A transactional handler that writes a receipt in its transaction. */
  static HandlerSpec<String> ledger(
      String relay, JdbcTransactions transactions, Runnable beforeCommit) {
    return HandlerSpec.of(
            "ledger",
            "booking",
            String.class,
            (String payload, Delivery delivery) -> {
              Receipts.write(
                  transactions.current().unwrap(Connection.class), delivery, relay, "ended");
              transactions.current().beforeCommit(beforeCommit);
            })
        .transactional();
  }

  /** How the relays of these tests are set, whatever process they run in. */
  static Posthorn.Builder builder(String name, DataSource dataSource) {
    return builder(name, dataSource, new JdbcTransactions(dataSource));
  }

  static Posthorn.Builder builder(
      String name, DataSource dataSource, JdbcTransactions transactions) {
    return Posthorn.inOneProcess(LiveDatabase.store(dataSource).build(), transactions)
        .relay(
            relay ->
                relay
                    .name(name)
                    .leaseDuration(LEASE)
                    .heartbeatInterval(HEARTBEAT)
                    .workers(WORKERS)
                    .retry(NOT_IN_THIS_TEST));
  }

  private void handle(String payload, Delivery delivery) throws Exception {
    Receipts.write(pool, delivery, name, "started");
    handler.pass("handler");
    if (payload.equals("kill")) {
      Runtime.getRuntime().halt(137); // as a native crash or the kernel's memory killer would
    }
    Receipts.write(pool, delivery, name, "ended");
    if (payload.equals("refuse")) {
      throw new IllegalStateException("refused, as the payload says");
    }
  }

  private void obey() throws IOException {
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      if (line.equals("hold handler")) {
        handler.hold("handler", () -> {});
      } else if (line.startsWith("hold statement ")) {
        statement.hold(line.substring("hold statement ".length()), () -> say(AT_STATEMENT));
      } else if (line.equals("hold commit")) {
        commit.hold("commit", () -> say(AT_COMMIT));
      } else if (line.equals("release commit")) {
        commit.release();
      } else if (line.equals("release handler")) {
        handler.release();
      } else if (line.equals("release statement")) {
        statement.release();
      }
      say("done: " + line);
    }
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
