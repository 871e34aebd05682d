/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static java.util.Objects.requireNonNull;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** db-scheduler with a one-time task per message. */
final class DbSchedulerSubject implements Subject {
  private static final TaskDescriptor<byte[]> TASK =
      TaskDescriptor.of("order-placed", byte[].class);
  private static final int THREADS = 20;
  private static final double LOWER_LIMIT = 1.0;
  private static final double UPPER_LIMIT = 4.0;
  private static final Duration POLLING_INTERVAL = Duration.ofMillis(20);

  private final DataSource plainDataSource;
  private final TransactionAwareDataSource dataSource;
  private @Nullable SchedulerClient client;
  private volatile @Nullable Scheduler scheduler;

  DbSchedulerSubject(SubjectDatabase database) {
    this.plainDataSource = database.plainDataSource();
    this.dataSource = new TransactionAwareDataSource(database.dataSource());
  }

  @Override
  public Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("threads", Integer.toString(THREADS));
    settings.put("polling strategy", "lock-and-fetch(" + LOWER_LIMIT + ", " + UPPER_LIMIT + ")");
    settings.put("polling interval", POLLING_INTERVAL.toMillis() + " ms");
    settings.put("after commit", "triggerCheckForDueExecutions()");
    settings.put("messages of a transaction", "scheduleBatch");
    settings.put("serializer", "Java (default) of byte[]");
    settings.put("index for priority", "none, as priority is not enabled");
    return settings;
  }

  @Override
  public boolean keepsOrder() {
    return false;
  }

  /** The script of db-scheduler for PostgreSQL, without the index that only priorities use. */
  @Override
  public void createTables() throws SQLException {
    try (Connection connection = plainDataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          CREATE TABLE scheduled_tasks (
            task_name            text        NOT NULL,
            task_instance        text        NOT NULL,
            task_data            bytea,
            execution_time       timestamptz NOT NULL,
            picked               boolean     NOT NULL,
            picked_by            text,
            last_success         timestamptz,
            last_failure         timestamptz,
            consecutive_failures int,
            last_heartbeat       timestamptz,
            version              bigint      NOT NULL,
            priority             smallint,
            PRIMARY KEY (task_name, task_instance)
          );
          CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time);
          CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat);
          """);
    }
    client = SchedulerClient.Builder.create(dataSource).build();
  }

  @Override
  public List<String> backlogTables() {
    return List.of("scheduled_tasks");
  }

  @Override
  public String countPending() {
    return "SELECT count(*) FROM scheduled_tasks";
  }

  @Override
  public void transact(Business business, List<Order> orders) throws Exception {
    dataSource.transact(
        connection -> {
          business.run(connection);
          if (!orders.isEmpty()) {
            // For a single one too: schedule() looks first whether there is such an instance.
            requireNonNull(client, "client").scheduleBatch(instances(orders), Instant.now());
          }
        });
    Scheduler running = scheduler;
    if (running != null) {
      running.triggerCheckForDueExecutions();
    }
  }

  private static List<TaskInstance<?>> instances(List<Order> orders) {
    return orders.stream().<TaskInstance<?>>map(DbSchedulerSubject::instance).toList();
  }

  private static TaskInstance<byte[]> instance(Order order) {
    return TASK.instance(Long.toString(order.number())).data(order.json()).build();
  }

  @Override
  public void startRelay(Consumer<Order> handler) {
    Scheduler started =
        Scheduler.create(
                plainDataSource,
                Tasks.oneTime(TASK)
                    .execute(
                        (instance, context) -> handler.accept(Order.parse(instance.getData()))))
            .threads(THREADS)
            .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT)
            .pollingInterval(POLLING_INTERVAL)
            .build();
    started.start();
    scheduler = started;
  }

  @Override
  public void stopRelay() {
    Scheduler stopping = requireNonNull(scheduler, "scheduler");
    scheduler = null;
    stopping.stop();
  }

  @Override
  public void close() {}
}
