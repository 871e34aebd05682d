/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static java.util.Objects.requireNonNull;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Transaction Outbox with its own transactions. Messages of a process without a relay are soon due
 * for those who flush; those of a process with one are handled by its own threads after the commit.
 */
final class TransactionOutboxSubject implements Subject {
  private static final Duration ATTEMPT_FREQUENCY = Duration.ofMinutes(2);
  private static final Duration DUE_SOON = Duration.ofSeconds(1);

  private final ThreadLocalContextTransactionManager transactions;
  private @Nullable TransactionOutbox publisher;
  private volatile @Nullable TransactionOutboxRelay relay;

  TransactionOutboxSubject(SubjectDatabase database) {
    this.transactions = TransactionManager.fromDataSource(database.dataSource());
  }

  @Override
  public Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("executor threads", Integer.toString(TransactionOutboxRelay.THREADS));
    settings.put("executor queue", "unbounded");
    settings.put("flushBatchSize", Integer.toString(TransactionOutboxRelay.FLUSH_BATCH_SIZE));
    settings.put(
        "flush()", "when fewer than a batch wait; if none is found, again after 1 s, one thread");
    settings.put("attemptFrequency", "2 min (default); 1 s while no relay runs");
    settings.put("serializer", "default");
    settings.put("serializeMdc", "false");
    return settings;
  }

  @Override
  public boolean keepsOrder() {
    return false;
  }

  @Override
  public void createTables() {
    publisher =
        outbox((entry, process) -> {})
            .instantiator(Instantiator.using(type -> new Handling(order -> {})))
            .attemptFrequency(DUE_SOON)
            .build();
  }

  private TransactionOutbox.TransactionOutboxBuilder outbox(Submitter submitter) {
    return TransactionOutbox.builder()
        .transactionManager(transactions)
        .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
        .submitter(submitter)
        .serializeMdc(false);
  }

  @Override
  public List<String> backlogTables() {
    return List.of("txno_outbox");
  }

  @Override
  public String countPending() {
    return "SELECT count(*) FROM txno_outbox";
  }

  @Override
  public void transact(Business business, List<Order> orders) throws Exception {
    TransactionOutboxRelay running = relay;
    TransactionOutbox outbox =
        running == null ? requireNonNull(publisher, "publisher") : running.outbox();
    transactions.inTransactionThrows(
        transaction -> {
          business.run(transaction.connection());
          OrderHandler handler = outbox.schedule(OrderHandler.class);
          for (Order order : orders) {
            handler.handle(order.number(), order.key(), order.text());
          }
        });
  }

  @Override
  public void startRelay(Consumer<Order> handler) {
    TransactionOutboxRelay started =
        new TransactionOutboxRelay(
            submitter ->
                outbox(submitter)
                    .instantiator(Instantiator.using(type -> new Handling(handler)))
                    .attemptFrequency(ATTEMPT_FREQUENCY)
                    .flushBatchSize(TransactionOutboxRelay.FLUSH_BATCH_SIZE)
                    .build());
    started.start();
    relay = started;
  }

  @Override
  public void stopRelay() throws InterruptedException {
    TransactionOutboxRelay stopping = requireNonNull(relay, "relay");
    relay = null;
    stopping.stop();
  }

  @Override
  public void close() {}

  /** What is scheduled: a call of this, as a row. */
  interface OrderHandler {
    void handle(long number, int key, String text);
  }

  private record Handling(Consumer<Order> handler) implements OrderHandler {
    @Override
    public void handle(long number, int key, String text) {
      handler.accept(new Order(number, key, text));
    }
  }
}
