/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import com.arjuna.ats.jta.common.jtaPropertyManager;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalConnectionPoolConfigurationSupplier;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.narayana.NarayanaTransactionIntegration;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.UserTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.hibernate.engine.transaction.jta.platform.internal.AbstractJtaPlatform;
import org.springframework.transaction.jta.JtaTransactionManager;

/** A JTA transaction manager, and databases that take part in its transactions. */
final class Narayana {
  private Narayana() {}

  static TransactionManager transactions() {
    return com.arjuna.ats.jta.TransactionManager.transactionManager();
  }

  static TransactionSynchronizationRegistry registry() {
    return jtaPropertyManager.getJTAEnvironmentBean().getTransactionSynchronizationRegistry();
  }

  /** As applications define it for Spring. */
  static JtaTransactionManager manager() {
    return new JtaTransactionManager(
        com.arjuna.ats.jta.UserTransaction.userTransaction(), transactions());
  }

  /** A pool of XA connections to a new database, which is gone when the pool is closed. */
  static AgroalDataSource database() {
    try {
      return AgroalDataSource.from(
          new AgroalDataSourceConfigurationSupplier()
              .metricsEnabled()
              .connectionPoolConfiguration(Narayana::pool));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static AgroalConnectionPoolConfigurationSupplier pool(
      AgroalConnectionPoolConfigurationSupplier pool) {
    return pool.minSize(1) // while it is open the database exists
        .initialSize(1)
        .maxSize(10)
        .acquisitionTimeout(Duration.ofSeconds(20))
        .transactionIntegration(new NarayanaTransactionIntegration(transactions(), registry()))
        .connectionFactoryConfiguration(
            factory ->
                factory
                    .connectionProviderClass(JdbcDataSource.class)
                    .xaProperty("url", "jdbc:h2:mem:" + UUID.randomUUID()));
  }

  /** Where Hibernate finds it. */
  @SuppressWarnings("serial") // Serializable by its superclass only
  static final class ForHibernate extends AbstractJtaPlatform {
    @Override
    protected TransactionManager locateTransactionManager() {
      return transactions();
    }

    @Override
    protected UserTransaction locateUserTransaction() {
      return com.arjuna.ats.jta.UserTransaction.userTransaction();
    }
  }
}
