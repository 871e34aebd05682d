/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.standalone;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.servers.PostgresServer;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two relays as processes, of which one is killed and the other one is asked to end. */
@Timeout(180)
class TwoRelaysCrashTest {
  private static final int CUSTOMERS = 20;
  private static final int ORDERS = 100;

  @TempDir Path directory;
  private final Map<String, List<Integer>> received = new ConcurrentHashMap<>();
  private final List<Process> relays = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private String databaseUrl;
  private HikariDataSource dataSource;
  private HttpServer endpoint;

  @BeforeEach
  void start() throws Exception {
    databaseUrl = PostgresServer.shared().freshDatabase();
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(databaseUrl);
    pool.setMaximumPoolSize(4);
    dataSource = new HikariDataSource(pool);
    endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
    endpoint.setExecutor(threads);
    endpoint.createContext(
        "/orders",
        exchange -> {
          String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
          String customer = exchange.getRequestHeaders().getFirst("posthorn-key");
          List<Integer> orders = received.computeIfAbsent(customer, any -> new ArrayList<>());
          synchronized (orders) {
            orders.add(Integer.valueOf(body));
          }
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    endpoint.start();
  }

  @AfterEach
  void stop() {
    relays.forEach(Process::destroyForcibly);
    endpoint.stop(0);
    threads.shutdownNow();
    dataSource.close();
  }

  private Process relay(String name) throws IOException {
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-cp",
            System.getProperty("java.class.path"),
            "io.posthorn.cli.Main",
            "relay",
            "--config",
            "relay.yaml");
    Map<String, String> environment = command.environment();
    environment.put("POSTHORN_URL", databaseUrl);
    environment.put("POSTHORN_USER", "postgres");
    environment.put("HOOK_URL", "http://localhost:" + endpoint.getAddress().getPort() + "/orders");
    environment.put("LEASE", "3s");
    environment.put("HEARTBEAT", "500ms");
    environment.put("PORT", "0");
    File log = directory.resolve(name + ".log").toFile();
    Process process = command.redirectErrorStream(true).redirectOutput(log).start();
    relays.add(process);
    return process;
  }

  private String log(String name) {
    try {
      return Files.readString(directory.resolve(name + ".log"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  private int different() {
    return received.values().stream()
        .mapToInt(
            orders -> {
              synchronized (orders) {
                return Set.copyOf(orders).size();
              }
            })
        .sum();
  }

  private void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime())
          .as(() -> what + " in time\n" + log("one") + "\n" + log("two"))
          .isLessThan(end);
      Thread.onSpinWait();
    }
  }

  private int owners() {
    try (var connection = dataSource.getConnection();
        var statement = connection.createStatement();
        var rows =
            statement.executeQuery("SELECT count(DISTINCT owner_id) FROM outbox_partition")) {
      rows.next();
      return rows.getInt(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void oneIsKilledAndNothingIsLostOrOutOfOrder() throws Exception {
    try (OrderService orders = new OrderService(dataSource)) {
      Process killed = relay("one");
      Process other = relay("two");
      await("both have partitions", () -> owners() == 2);
      place(orders, 1, ORDERS / 2);
      await("some have arrived", () -> different() > CUSTOMERS);
      killed.destroyForcibly();
      place(orders, ORDERS / 2 + 1, ORDERS);
      await("all have arrived", () -> different() == CUSTOMERS * ORDERS);

      for (int customer = 0; customer < CUSTOMERS; customer++) {
        assertThat(new ArrayList<>(new LinkedHashSet<>(received.get("customer-" + customer))))
            .as("first arrivals of customer-" + customer)
            .isEqualTo(IntStream.rangeClosed(1, ORDERS).boxed().toList());
      }

      other.destroy(); // SIGTERM
      assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(other.exitValue()).as(() -> log("two")).isZero();
      assertThat(owners()).as("relays that still own partitions").isZero();
    }
  }

  private static void place(OrderService orders, int from, int to) throws Exception {
    for (int number = from; number <= to; number++) {
      for (int customer = 0; customer < CUSTOMERS; customer++) {
        orders.place("customer-" + customer, number);
      }
    }
  }
}
