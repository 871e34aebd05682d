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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
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

  private Map<String, Set<UUID>> retried = Map.of();
  private int deliveredFirst;

  /** What goes wrong. */
  private record Faults(Crash crash, Outage outage) {}

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
    MailServer mailServer = new MailServer(directory);
    Outage outage = new Outage(mailServer, stage.view(), settings.duration());
    boolean drained;
    Pace pace;
    Duration killedAt;
    try (ReceiptWriter own = new ReceiptWriter(OWN_RELAY, directory.receipts(OWN_RELAY));
        Posthorn posthorn = DemoRelay.start(stage.dataSource(), transactions, own, mailServer);
        Crash crash = new Crash(this::startRelay, stage.view(), settings.duration())) {
      receipts.follow(new ReceiptReader(OWN_RELAY, directory.receipts(OWN_RELAY)));
      awaitSecondRelay(crash);
      pace = new Pace(settings.rate(), settings.duration());
      Faults faults = new Faults(crash, outage);
      placeOrders(
          new OrderService(transactions, posthorn.outbox(), commits, pace, expectedOrders()),
          pace,
          faults);
      Repair repair = new Repair(posthorn.admin(), mailServer, stage.view());
      drained = drain(pace, faults) && retryDeadLetters(repair, pace, faults);
      killedAt = crash.killedAt();
    }
    receipts.poll();
    return new Outcome(
        verdict(),
        commits,
        receipts.retries(),
        killedAt,
        outage.summary(),
        pace.elapsed(),
        drained);
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

  private void placeOrders(OrderService service, Pace pace, Faults faults) throws Exception {
    stage.view().head();
    service.start();
    while (!pace.over() && service.failure() == null) {
      step(pace, faults);
    }
    service.stop(DRAIN_TIMEOUT);
    Exception failure = service.failure();
    if (failure != null) {
      throw new DemoException("the order service failed: " + failure.getMessage(), failure);
    }
    stage.view().tell(pace.elapsed(), "no more orders; waiting until the outbox is empty");
  }

  /** Returns false if messages were left when the patience was at its end. */
  private boolean drain(Pace pace, Faults faults) throws Exception {
    Duration deadline = pace.elapsed().plus(DRAIN_TIMEOUT);
    while (pace.elapsed().compareTo(deadline) < 0) {
      step(pace, faults);
      if (faults.crash().over() && allDelivered() && stage.tables().drained()) {
        return true;
      }
    }
    return false;
  }

  private boolean retryDeadLetters(Repair repair, Pace pace, Faults faults) throws Exception {
    // The outbox is empty: whatever is written from now on is about retried dead letters.
    receipts.poll();
    deliveredFirst = receipts.delivered().size();
    retried = stage.tables().deadLetters();
    long before = receipts.deadLetters();
    repair.retryAll(pace.elapsed());
    boolean drained = drain(pace, faults);
    receipts.poll();
    repair.tellResult(pace.elapsed(), before - receipts.deadLetters());
    return drained;
  }

  private boolean allDelivered() {
    return receipts.messagesDone() + receipts.deadLetters() >= commits.count();
  }

  private void step(Pace pace, Faults faults) throws Exception {
    TimeUnit.NANOSECONDS.sleep(STEP.toNanos());
    Map<String, Integer> holders = stage.tables().holders();
    faults.crash().step(pace.elapsed(), holders);
    receipts.poll();
    faults.outage().step(pace.elapsed(), receipts, waitingForMailer());
    stage
        .view()
        .show(
            new LiveView.Snapshot(
                pace.elapsed(),
                commits.count(),
                receipts.messagesDone(),
                receipts.retries(),
                receipts.deadLetters(),
                text(holders, faults.crash())));
  }

  private long waitingForMailer() {
    return commits.count() - receipts.doneBy(DemoHandlers.MAILER) - receipts.deadLetters();
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
    Audit.Dead dead = new Audit.Dead(retried, stage.tables().deadLetters());
    Audit audit = new Audit(DemoHandlers.NAMES, Crash.KILLED, commits.messages(), dead);
    List<Receipt> all = receipts.delivered();
    int first = retried.isEmpty() ? all.size() : deliveredFirst;
    Verdict verdict = audit.judge(all.subList(0, first), all.subList(first, all.size()));
    Files.write(stage.directory().findings(), audit.findings());
    Files.write(stage.directory().findings(), stage.tables().leftOver(), StandardOpenOption.APPEND);
    return verdict;
  }
}
