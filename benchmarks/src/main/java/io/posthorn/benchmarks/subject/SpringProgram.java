/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import java.sql.Connection;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A running Spring Boot application without a web server, on the database of a subject. */
final class SpringProgram implements AutoCloseable {
  static {
    // logback.xml is enough.
    System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
  }

  private final ConfigurableApplicationContext context;
  private final DataSource dataSource;
  private final TransactionTemplate transactions;

  private SpringProgram(ConfigurableApplicationContext context) {
    this.context = context;
    this.dataSource = context.getBean(DataSource.class);
    this.transactions = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
  }

  /**
   * Starts it.
   *
   * @param beans adds to what the configuration says
   */
  static SpringProgram start(
      Class<?> configuration,
      Map<String, Object> properties,
      SubjectDatabase database,
      Consumer<GenericApplicationContext> beans) {
    return new SpringProgram(
        new SpringApplicationBuilder(configuration)
            .web(WebApplicationType.NONE)
            .bannerMode(Banner.Mode.OFF)
            .registerShutdownHook(false)
            .properties(properties)
            .initializers(
                (GenericApplicationContext context) -> {
                  context.registerBean(DataSource.class, database::dataSource);
                  beans.accept(context);
                })
            .run());
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  void publishEvent(Object event) {
    context.publishEvent(event);
  }

  /** Runs both in one transaction, as {@code @Transactional} would. */
  void transact(Subject.Business business, Runnable publish) {
    transactions.executeWithoutResult(
        status -> {
          run(business);
          publish.run();
        });
  }

  private void run(Subject.Business business) {
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      business.run(connection);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("Business not done", e);
    } finally {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
  }

  @Override
  public void close() {
    context.close();
  }
}
