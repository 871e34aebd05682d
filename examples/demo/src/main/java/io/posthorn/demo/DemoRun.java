/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** One run on a database that is ready, from the first relay to the verdict. For one thread. */
final class DemoRun {
  private static final String OWN_RELAY = "relay-1";
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration STEP = Duration.ofMillis(200);

  private final Settings settings;
  private final Stage stage;
  private final Commits commits = new Commits();
  private final Receipts receipts = new Receipts(DemoHandlers.NAMES.size());

  /** Where it takes place. */
  record Stage(
      WorkDirectory directory,
      String jdbcUrl,
      DataSource dataSource,
      DemoTables tables,
      LiveView view) {}

  DemoRun(Settings settings, Stage stage) {
    this.settings = settings;
    this.stage = stage;
  }

  Outcome run() throws Exception {
    JdbcTransactions transactions = new JdbcTransactions(stage.dataSource());
    WorkDirectory directory = stage.directory();
    boolean drained;
    Pace pace;
    Duration killedAt;
    try (ReceiptWriter own = new ReceiptWriter(OWN_RELAY, directory.receipts(OWN_RELAY));
        Posthorn posthorn = DemoRelay.start(stage.dataSource(), transactions, own);
        Crash crash = new Crash(this::startRelay, stage.view(), settings.duration())) {
      receipts.follow(new ReceiptReader(OWN_RELAY, directory.receipts(OWN_RELAY)));
      awaitSecondRelay(crash);
      pace = new Pace(settings.rate(), settings.duration());
      placeOrders(
          new OrderService(transactions, posthorn.outbox(), commits, pace, expectedOrders()),
          pace,
          crash);
      drained = drain(pace, crash);
      killedAt = crash.killedAt();
    }
    receipts.poll();
    return new Outcome(verdict(), commits, receipts.retries(), killedAt, pace.elapsed(), drained);
  }

  private RelayProcess startRelay(String name) throws IOException {
    receipts.follow(new ReceiptReader(name, stage.directory().receipts(name)));
    return RelayProcess.start(name, stage.directory(), stage.jdbcUrl());
  }

  private long expectedOrders() {
    return settings.rate() * settings.duration().toSeconds();
  }

  private void awaitSecondRelay(Crash crash) throws Exception {
    long begun = System.nanoTime();
    while (!crash.begun()) {
      if (System.nanoTime() - begun > START_TIMEOUT.toNanos()) {
        throw new DemoException(
            "%s got no partitions within %d s".formatted(Crash.KILLED, START_TIMEOUT.toSeconds()));
      }
      crash.step(Duration.ZERO, stage.tables().holders());
      TimeUnit.NANOSECONDS.sleep(STEP.toNanos());
    }
  }

  private void placeOrders(OrderService service, Pace pace, Crash crash) throws Exception {
    stage.view().head();
    service.start();
    while (!pace.over() && service.failure() == null) {
      step(pace, crash);
    }
    service.stop(DRAIN_TIMEOUT);
    Exception failure = service.failure();
    if (failure != null) {
      throw new DemoException("the order service failed: " + failure.getMessage(), failure);
    }
    stage.view().tell(pace.elapsed(), "no more orders; waiting until the outbox is empty");
  }

  /** Returns false if messages were left when the patience was at its end. */
  private boolean drain(Pace pace, Crash crash) throws Exception {
    Duration deadline = pace.elapsed().plus(DRAIN_TIMEOUT);
    while (pace.elapsed().compareTo(deadline) < 0) {
      step(pace, crash);
      if (crash.over() && allDelivered() && stage.tables().drained()) {
        return true;
      }
    }
    return false;
  }

  private boolean allDelivered() {
    return receipts.messagesDone() + receipts.deadLetters() >= commits.count();
  }

  private void step(Pace pace, Crash crash) throws Exception {
    TimeUnit.NANOSECONDS.sleep(STEP.toNanos());
    Map<String, Integer> holders = stage.tables().holders();
    crash.step(pace.elapsed(), holders);
    receipts.poll();
    stage
        .view()
        .show(
            new LiveView.Snapshot(
                pace.elapsed(),
                commits.count(),
                receipts.messagesDone(),
                receipts.retries(),
                receipts.deadLetters(),
                text(holders, crash)));
  }

  private static String text(Map<String, Integer> holders, Crash crash) {
    return holders.entrySet().stream()
        .map(
            holder ->
                holder.getKey()
                    + (crash.hasKilled(holder.getKey()) ? " (killed) " : " ")
                    + holder.getValue())
        .collect(Collectors.joining(", "));
  }

  private Verdict verdict() throws SQLException, IOException {
    Audit audit =
        new Audit(
            DemoHandlers.NAMES, Crash.KILLED, commits.messages(), stage.tables().deadLetters());
    Verdict verdict = audit.judge(receipts.delivered());
    Files.write(stage.directory().findings(), audit.findings());
    Files.write(stage.directory().findings(), stage.tables().leftOver(), StandardOpenOption.APPEND);
    return verdict;
  }
}
