/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.event.TransactionalEventListener;

/**
 * The event publication registry of Spring Modulith. It has no relay: after a commit the listeners
 * are called by the executor of the application, and what they left is resubmitted when the
 * application asks for it. So with the relay off the executor drops what it is given, as if the
 * process ended, and a relay that starts resubmits.
 */
final class ModulithSubject implements Subject {
  private static final String PREFIX = "spring.modulith.events.";
  private static final int THREADS = 16;

  private final SubjectDatabase database;
  private final Listener listener = new Listener();
  private final SwitchedExecutor executor = new SwitchedExecutor(THREADS);
  private volatile @Nullable SpringProgram program;
  private volatile boolean stopped;
  private @Nullable Thread resubmission;

  ModulithSubject(SubjectDatabase database) {
    this.database = database;
  }

  @Override
  public Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("completion-mode", "delete");
    settings.put("listener", "@Async @TransactionalEventListener");
    settings.put("executor threads", Integer.toString(THREADS));
    settings.put("backlog", "resubmitIncompletePublications");
    return settings;
  }

  @Override
  public boolean keepsOrder() {
    return false;
  }

  @Override
  public void createTables() {
    program();
  }

  @Override
  public List<String> backlogTables() {
    return List.of("event_publication");
  }

  @Override
  public String countPending() {
    return "SELECT count(*) FROM event_publication WHERE completion_date IS NULL";
  }

  @Override
  public void transact(Business business, List<Order> orders) {
    SpringProgram running = program();
    running.transact(business, () -> orders.forEach(running::publishEvent));
  }

  @Override
  public void startRelay(Consumer<Order> handler) {
    listener.current = handler;
    IncompleteEventPublications incomplete = program().bean(IncompleteEventPublications.class);
    Instant start = Instant.now();
    stopped = false;
    executor.start();
    resubmission =
        new Thread(
            () ->
                incomplete.resubmitIncompletePublications(
                    publication -> !stopped && publication.getPublicationDate().isBefore(start)),
            "modulith-resubmission");
    resubmission.start();
  }

  /** Waits for all that was resubmitted, because it would not be resubmitted once more. */
  @Override
  public void stopRelay() throws InterruptedException {
    stopped = true;
    requireNonNull(resubmission, "resubmission").join();
    executor.stop();
  }

  @Override
  public void close() {
    if (program != null) {
      program.close();
    }
  }

  private SpringProgram program() {
    SpringProgram running = program;
    return running == null ? start() : running;
  }

  private synchronized SpringProgram start() {
    if (program == null) {
      program =
          SpringProgram.start(
              Configured.class,
              Map.of(
                  PREFIX + "completion-mode",
                  "delete",
                  PREFIX + "jdbc.schema-initialization.enabled",
                  "true",
                  PREFIX + "externalization.enabled",
                  "false",
                  "namastack.outbox.enabled",
                  "false"),
              database,
              beans -> {
                beans.registerBean(Listener.class, () -> listener);
                beans.registerBean(SwitchedExecutor.class, () -> executor);
              });
    }
    return requireNonNull(program, "program");
  }

  /**
   * What {@code @ApplicationModuleListener} is, but for the transaction, which it has no use for.
   */
  static class Listener {
    private volatile @Nullable Consumer<Order> current;

    @Async
    @TransactionalEventListener
    public void on(Order order) {
      requireNonNull(current, "current").accept(order);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableAsync
  static class Configured {}
}
