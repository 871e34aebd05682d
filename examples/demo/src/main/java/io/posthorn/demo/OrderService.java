/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.jdbc.JdbcTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Places orders in transactions, and publishes a message with each: the business code of the demo.
 * Customers are locked while their orders are placed, so that the order of their messages is well
 * defined.
 */
final class OrderService {
  static final int WRITERS = 8;
  private static final int MOST_ORDERS_PER_POISON = 2_000;
  private static final int POISONS_EXPECTED = 8;

  private final JdbcTransactions transactions;
  private final Outbox outbox;
  private final Commits commits;
  private final Pace pace;
  private final long ordersPerPoison;
  private final AtomicLong plans = new AtomicLong();
  private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
  private final List<Thread> writers = new ArrayList<>();

  OrderService(
      JdbcTransactions transactions,
      Outbox outbox,
      Commits commits,
      Pace pace,
      long expectedOrders) {
    this.transactions = transactions;
    this.outbox = outbox;
    this.commits = commits;
    this.pace = pace;
    this.ordersPerPoison =
        Math.max(1, Math.min(MOST_ORDERS_PER_POISON, expectedOrders / POISONS_EXPECTED));
  }

  void start() {
    for (int i = 1; i <= WRITERS; i++) {
      Thread writer = new Thread(this::write, "order-writer-" + i);
      writer.setDaemon(true);
      writers.add(writer);
      writer.start();
    }
  }

  /** Waits for the transactions under way. */
  void stop(Duration timeout) throws InterruptedException {
    for (Thread writer : writers) {
      writer.join(timeout.toMillis());
    }
  }

  /** Why a transaction that should have committed did not; null if all is well. */
  @Nullable Exception failure() {
    return failure.get();
  }

  private void write() {
    try {
      OrderPlan plan = nextPlan();
      while (failure.get() == null && pace.await(plan.commit() ? plan.orders() : 0)) {
        carryOut(plan);
        plan = nextPlan();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) { // the edge of the writer's thread
      failure.compareAndSet(null, e);
    }
  }

  private OrderPlan nextPlan() {
    boolean poison = plans.getAndIncrement() % ordersPerPoison == ordersPerPoison / 2;
    return poison ? OrderPlan.poison() : OrderPlan.random();
  }

  private void carryOut(OrderPlan plan) throws SQLException {
    List<Published> published = new ArrayList<>();
    try (Connection connection = transactions.begin()) {
      OrderRows rows = new OrderRows(connection);
      String customer = plan.customer();
      long placed = customer == null ? 0 : rows.lockCustomer(customer);
      if (plan.savepoint()) {
        takeBack(rows, connection, plan, customer == null ? 0 : placed + 1);
      }
      for (int i = 0; i < plan.orders(); i++) {
        long number = customer == null ? 0 : ++placed;
        published.add(new Published(place(rows, plan, number), customer, number, plan.poisoned()));
      }
      if (customer != null) {
        rows.updateCustomer(customer, placed);
      }
      if (plan.commit()) {
        connection.commit();
      }
    }
    if (plan.commit()) {
      commits.committed(published);
    } else {
      commits.rolledBack(published.size());
    }
  }

  /** Places an order with a number that a later one gets, and thinks better of it. */
  private void takeBack(OrderRows rows, Connection connection, OrderPlan plan, long number)
      throws SQLException {
    Savepoint savepoint = connection.setSavepoint();
    place(rows, plan, number);
    connection.rollback(savepoint);
    commits.rolledBackToSavepoint(1);
  }

  private UUID place(OrderRows rows, OrderPlan plan, long number) throws SQLException {
    OrderPlaced order =
        new OrderPlaced(plan.customer(), number, (int) (100 + number % 900), plan.poisoned());
    rows.insert(order);
    return outbox.publish(Message.of(OrderPlaced.TYPE).key(plan.customer()).payload(order).build());
  }
}
