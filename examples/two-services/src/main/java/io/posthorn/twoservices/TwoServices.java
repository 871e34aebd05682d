/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.twoservices;

import io.posthorn.servers.KafkaServer;
import io.posthorn.servers.PostgresServer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs both services, kills them now and then, and compares their books. */
@Command(
    name = "bin/two-services",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "An order service and a warehouse, each with a database, joined by Kafka. Both are killed now and then; at the end each order must have been counted exactly once. Exit status 0: it was.")
public final class TwoServices implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int SHOWN = 10;

  private final PrintStream out;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "how long orders are placed (default: 60)")
  private int seconds = 60;

  @Option(
      names = "--kill-every",
      paramLabel = "N",
      description = "seconds from one kill to the next (default: 5)")
  private int killEvery = 5;

  TwoServices(PrintStream out) {
    this.out = out;
  }

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new TwoServices(System.out)).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Path logs = Files.createTempDirectory("posthorn-two-services-");
    out.println("starting PostgreSQL and Kafka; logs are in " + logs + " until all is well");
    try (PostgresServer postgres = PostgresServer.newest();
        KafkaServer kafka = new KafkaServer()) {
      postgres.start();
      kafka.start();
      postgres.createDatabase("orders");
      postgres.createDatabase("warehouse");
      int status =
          run(
              postgres.jdbcUrl("orders"),
              postgres.jdbcUrl("warehouse"),
              kafka.bootstrapServers(),
              logs);
      if (status == 0) {
        delete(logs);
      }
      return status;
    }
  }

  private static void delete(Path logs) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(logs)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(logs);
  }

  private int run(String orders, String warehouse, String brokers, Path logs) throws Exception {
    int kills = 0;
    try (ServiceProcess taking =
        ServiceProcess.start(
            WarehouseService.class, logs.resolve("warehouse.log"), warehouse, brokers)) {
      try (ServiceProcess placing =
          ServiceProcess.start(
              OrderService.class, logs.resolve("orders.log"), orders, brokers, "true")) {
        kills =
            disturb(List.of(placing, taking), () -> new Progress(orders(orders), taken(warehouse)));
        placing.stop();
      }
      // What was placed last is delivered by the next one that runs.
      try (ServiceProcess delivering =
          ServiceProcess.start(
              OrderService.class, logs.resolve("orders.log"), orders, brokers, "false")) {
        long placed = Books.orders(orders);
        await(
            () -> taken(warehouse) >= placed, () -> taken(warehouse) + " of " + placed + " taken");
        delivering.stop();
      }
      taking.stop();
    }
    return report(Books.read(orders, warehouse), kills);
  }

  /** How far both have come. */
  private record Progress(long placed, long taken) {
    boolean isBeyond(Progress earlier) {
      return placed > earlier.placed && taken > earlier.taken;
    }
  }

  /** Kills one or the other, by turns of chance, each time after both have got further. */
  private int disturb(List<ServiceProcess> services, Supplier<Progress> progress) throws Exception {
    Random random = new Random();
    int kills = 0;
    Progress last = new Progress(0, 0);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    do {
      TimeUnit.SECONDS.sleep(Math.min(seconds, killEvery));
      Progress seen = last;
      await(() -> progress.get().isBeyond(seen), () -> "no progress beyond " + seen);
      last = progress.get();
      boolean first = random.nextBoolean();
      services.get(first ? 0 : 1).killAndRestart();
      kills++;
      out.println(
          "killed the " + (first ? "order service" : "warehouse") + ", and started it again");
    } while (System.nanoTime() - end < 0);
    return kills;
  }

  private static long orders(String orders) {
    try {
      return Books.orders(orders);
    } catch (SQLException e) {
      return 0; // the tables are not there yet
    }
  }

  private static long taken(String warehouse) {
    try {
      return Books.taken(warehouse);
    } catch (SQLException e) {
      return 0; // the tables are not there yet
    }
  }

  private static void await(Supplier<Boolean> condition, Supplier<String> told)
      throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.get()) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException(
            "waited for " + PATIENCE.toSeconds() + " s in vain: " + told.get());
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private int report(Books books, int kills) {
    List<String> differences = books.differences();
    long taken = books.taken().values().stream().mapToLong(Integer::longValue).sum();
    out.printf(
        "%d orders placed, %d taken, %d records received more than once, %d kills%n",
        books.ordered().size(), taken, books.received() - taken, kills);
    differences.stream().limit(SHOWN).forEach(out::println);
    boolean good = differences.isEmpty() && !books.ordered().isEmpty();
    out.println(
        good
            ? "each order was counted exactly once"
            : differences.size() + " differences, " + books.ordered().size() + " orders");
    return good ? 0 : 1;
  }
}
