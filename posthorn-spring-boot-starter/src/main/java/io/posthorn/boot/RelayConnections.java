/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.spi.LoggerSource;
import java.lang.System.Logger.Level;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.datasource.AbstractDriverBasedDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * Says where a relay's connections come from: outside the application's pool if its connection
 * details can be found out, so that neither takes them from the other.
 *
 * @param chosen the data source bean that the properties name; null if they name none
 */
record RelayConnections(ListableBeanFactory beans, @Nullable String chosen) {
  /** The store's statements must not become part of a transaction that happens to be active. */
  static DataSource withoutTransactions(DataSource dataSource) {
    DataSource target =
        dataSource instanceof TransactionAwareDataSourceProxy proxy
            ? proxy.getTargetDataSource()
            : dataSource;
    return target == null ? dataSource : target;
  }

  void applyTo(JdbcMessageStore.Builder builder, DataSource application) {
    if (chosen != null) {
      DataSource other = withoutTransactions(bean(chosen));
      if (other != application) {
        builder.relayDataSource(other);
      }
      return;
    }
    DataSource own = UnpooledDataSource.of(application);
    if (own != null) {
      builder.relayConnections(own);
    } else if (isUnpooled(application)) {
      // As another one, since its connections are the relay's alone and can have its name.
      builder.relayConnections(new DelegatingDataSource(application));
    } else {
      LoggerSource.of("io.posthorn")
          .log(
              Level.INFO,
              "the relay takes its connections from the application''s data source, a {0} whose connection details are not known; posthorn.relay.data-source names another one",
              application.getClass().getName());
    }
  }

  private static boolean isUnpooled(DataSource dataSource) {
    return dataSource instanceof AbstractDriverBasedDataSource
        && !(dataSource instanceof SingleConnectionDataSource);
  }

  private DataSource bean(String name) {
    List<String> names = List.of(beans.getBeanNamesForType(DataSource.class));
    if (!names.contains(name)) {
      throw new ConfigurationException(
          List.of(
              "posthorn.relay.data-source is \"%s\", but there is no data source of that name; there are %s"
                  .formatted(name, names)));
    }
    return beans.getBean(name, DataSource.class);
  }
}
