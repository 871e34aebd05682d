/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static java.util.Objects.requireNonNull;

import io.namastack.outbox.Outbox;
import io.namastack.outbox.OutboxProcessingScheduler;
import io.namastack.outbox.handler.OutboxTypedHandler;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/** Namastack Outbox in a Spring Boot application, with its JDBC starter. */
final class NamastackSubject implements Subject {
  private static final String PREFIX = "namastack.outbox.";

  private final SubjectDatabase database;
  private final CurrentHandler handler = new CurrentHandler();
  private @Nullable Application application;
  private @Nullable OutboxProcessingScheduler relay;

  NamastackSubject(SubjectDatabase database) {
    this.database = database;
  }

  @Override
  public Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("polling.batch-size", System.getProperty("nama.batch", "1000"));
    settings.put("polling.fixed.interval", System.getProperty("nama.interval", "10ms"));
    settings.put("processing.executor-core-pool-size", System.getProperty("nama.threads", "8"));
    settings.put("processing.executor-max-pool-size", System.getProperty("nama.threads", "8"));
    settings.put("processing.delete-completed-records", System.getProperty("nama.delete", "true"));
    return settings;
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public void createTables() {
    application();
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
    Application running = application();
    running.transactions.run(
        business,
        () -> orders.forEach(order -> running.outbox.schedule(order, order.keyText())));
  }

  @Override
  public void startRelay(Consumer<Order> handler) {
    this.handler.current = handler;
    relay = application().context.getBean(OutboxProcessingScheduler.class);
    relay.start();
  }

  @Override
  public void stopRelay() {
    requireNonNull(relay, "relay").stop();
    relay = null;
  }

  @Override
  public synchronized void close() {
    if (application != null) {
      application.context.close();
      application = null;
    }
  }

  private synchronized Application application() {
    if (application == null) {
      application = new Application(start());
    }
    return application;
  }

  private ConfigurableApplicationContext start() {
    Map<String, Object> properties = new LinkedHashMap<>();
    settings().forEach((name, value) -> properties.put(PREFIX + name, value));
    properties.put(PREFIX + "processing.shutdown-timeout", "5m");
    return new SpringApplicationBuilder(OutboxApplication.class)
        .web(WebApplicationType.NONE)
        .properties(properties)
        .initializers(
            context -> {
              GenericApplicationContext beans = (GenericApplicationContext) context;
              beans.registerBean(DataSource.class, database::dataSource);
              beans.registerBean(CurrentHandler.class, () -> handler);
            })
        .run();
  }

  private static final class Application {
    final ConfigurableApplicationContext context;
    final SpringTransactions transactions;
    final Outbox outbox;

    Application(ConfigurableApplicationContext context) {
      this.context = context;
      this.transactions = new SpringTransactions(context);
      this.outbox = context.getBean(Outbox.class);
    }
  }

  /** Named in each record, so there is one whether the relay runs or not. */
  static final class CurrentHandler implements OutboxTypedHandler<Order> {
    private volatile @Nullable Consumer<Order> current;

    @Override
    public void handle(Order order, io.namastack.outbox.handler.OutboxRecordMetadata metadata) {
      requireNonNull(current, "current").accept(order);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OutboxApplication {

    /** The scheduler starts when the relay does, not with the application. */
    @Bean
    static BeanFactoryPostProcessor schedulerThatWaits() {
      return factory ->
          factory
              .getBeanDefinition("outboxProcessingScheduler")
              .setScope(BeanDefinition.SCOPE_PROTOTYPE);
    }
  }
}
