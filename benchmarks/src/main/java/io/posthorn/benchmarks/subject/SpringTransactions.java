/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction of a Spring application, as {@code @Transactional} makes it. */
final class SpringTransactions {
  private final DataSource dataSource;
  private final TransactionTemplate template;

  SpringTransactions(ConfigurableApplicationContext context) {
    this.dataSource = context.getBean(DataSource.class);
    this.template = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
  }

  void run(Subject.Business business, Runnable publish) {
    template.executeWithoutResult(
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
}
