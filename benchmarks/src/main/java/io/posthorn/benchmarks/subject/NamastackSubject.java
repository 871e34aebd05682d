/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static java.util.Objects.requireNonNull;

import io.namastack.outbox.Outbox;
import io.namastack.outbox.OutboxProcessingScheduler;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Namastack Outbox in a Spring Boot application. The application runs from {@link #createTables} or
 * the first transaction on; its scheduler, which is the relay, only while it is wanted.
 */
final class NamastackSubject implements Subject {
  private static final String PREFIX = "namastack.outbox.";

  private final SubjectDatabase database;
  private final CurrentHandler handler = new CurrentHandler();
  private volatile @Nullable SpringProgram program;
  private @Nullable OutboxProcessingScheduler relay;

  NamastackSubject(SubjectDatabase database) {
    this.database = database;
  }

  @Override
  public Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("polling.batch-size", Integer.toString(Order.KEYS));
    settings.put("polling.fixed.interval", "10ms");
    settings.put("processing.executor-core-pool-size", "16");
    settings.put("processing.executor-max-pool-size", "16");
    settings.put("processing.delete-completed-records", "true");
    return settings;
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public void createTables() {
    program();
  }

  @Override
  public List<String> backlogTables() {
    return List.of("outbox_record");
  }

  @Override
  public String countPending() {
    return "SELECT count(*) FROM outbox_record WHERE status <> 'COMPLETED'";
  }

  @Override
  public void transact(Business business, List<Order> orders) {
    SpringProgram running = program();
    Outbox outbox = running.bean(Outbox.class);
    running.transact(
        business, () -> orders.forEach(order -> outbox.schedule(order, order.keyText())));
  }

  @Override
  public void startRelay(Consumer<Order> handler) {
    this.handler.current = handler;
    relay = program().bean(OutboxProcessingScheduler.class);
    relay.start();
  }

  @Override
  public void stopRelay() {
    requireNonNull(relay, "relay").stop();
    relay = null;
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
      Map<String, Object> properties = new LinkedHashMap<>();
      settings().forEach((name, value) -> properties.put(PREFIX + name, value));
      properties.put(PREFIX + "processing.shutdown-timeout", "5m");
      program =
          SpringProgram.start(
              Configured.class,
              properties,
              database,
              beans -> beans.registerBean(CurrentHandler.class, () -> handler));
    }
    return requireNonNull(program, "program");
  }

  /** Each record names its handler, so there is one also while the relay is off. */
  static final class CurrentHandler implements OutboxTypedHandler<Order> {
    private volatile @Nullable Consumer<Order> current;

    @Override
    public void handle(Order order, OutboxRecordMetadata metadata) {
      requireNonNull(current, "current").accept(order);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration(
      excludeName = {
        "org.springframework.modulith.events.config.EventPublicationAutoConfiguration",
        "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration",
        "org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration",
        "org.springframework.modulith.events.jackson.JacksonEventSerializationConfiguration"
      })
  static class Configured {

    /** A singleton would start with the application. */
    @Bean
    static BeanFactoryPostProcessor schedulerThatWaits() {
      return factory ->
          factory
              .getBeanDefinition("outboxProcessingScheduler")
              .setScope(BeanDefinition.SCOPE_PROTOTYPE);
    }
  }
}
