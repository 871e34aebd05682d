/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.util.ClassUtils;

/**
 * Opens connections as a pool does, but outside of it. The pool is asked each time, since
 * credentials may change. Its settings are found by the names of its properties: HikariCP, Tomcat's
 * and DBCP tell them.
 */
final class UnpooledDataSource extends AbstractDataSource {
  private static final List<String> POOLS =
      List.of(
          "com.zaxxer.hikari.HikariDataSource",
          "org.apache.tomcat.jdbc.pool.DataSource",
          "org.apache.commons.dbcp2.BasicDataSource");

  private final BeanWrapper pool;

  private UnpooledDataSource(BeanWrapper pool) {
    this.pool = pool;
  }

  /** Null if it is not known how the data source opens connections. */
  static @Nullable UnpooledDataSource of(DataSource dataSource) {
    DataSource candidate = dataSource;
    while (candidate instanceof DelegatingDataSource wrapper
        && wrapper.getTargetDataSource() != null) {
      candidate = wrapper.getTargetDataSource();
    }
    for (String name : POOLS) {
      DataSource pool = unwrapped(candidate, name);
      if (pool != null) {
        UnpooledDataSource found =
            new UnpooledDataSource(PropertyAccessorFactory.forBeanPropertyAccess(pool));
        return found.url() == null ? null : found;
      }
    }
    return null;
  }

  private static @Nullable DataSource unwrapped(DataSource candidate, String className) {
    ClassLoader loader = candidate.getClass().getClassLoader();
    if (!ClassUtils.isPresent(className, loader)) {
      return null;
    }
    Class<?> pool = ClassUtils.resolveClassName(className, loader);
    try {
      if (pool.isInstance(candidate)) {
        return candidate;
      }
      return candidate.isWrapperFor(pool) ? (DataSource) candidate.unwrap(pool) : null;
    } catch (SQLException e) { // one that routes, and does not know where to
      return null;
    }
  }

  private @Nullable String url() {
    return text("jdbcUrl", "url");
  }

  private @Nullable String text(String... names) {
    for (String name : names) {
      if (value(name) instanceof String text && !text.isEmpty()) {
        return text;
      }
    }
    return null;
  }

  private @Nullable Object value(String name) {
    return pool.isReadableProperty(name) ? pool.getPropertyValue(name) : null;
  }

  @Override
  public Connection getConnection() throws SQLException {
    return getConnection(text("username", "userName"), text("password"));
  }

  @Override
  public Connection getConnection(@Nullable String user, @Nullable String password)
      throws SQLException {
    Properties settings = new Properties();
    if ((value("dataSourceProperties") == null
            ? value("dbProperties")
            : value("dataSourceProperties"))
        instanceof Properties more) {
      settings.putAll(more);
    }
    putIfSet(settings, "user", user);
    putIfSet(settings, "password", password);
    Connection connection = driver().connect(url(), settings);
    if (connection == null) {
      throw new SQLException("the driver does not take the URL of the application's pool", "08001");
    }
    return prepared(connection);
  }

  private static void putIfSet(Properties settings, String name, @Nullable String value) {
    if (value != null) {
      settings.setProperty(name, value);
    }
  }

  private Driver driver() throws SQLException {
    String name = text("driverClassName");
    return name == null
        ? DriverManager.getDriver(url())
        : (Driver)
            BeanUtils.instantiateClass(
                ClassUtils.resolveClassName(name, ClassUtils.getDefaultClassLoader()));
  }

  /** As the pool does, so that tables are found in the same schema. */
  private Connection prepared(Connection connection) throws SQLException {
    boolean ready = false;
    try {
      String catalog = text("catalog", "defaultCatalog");
      String schema = text("schema", "defaultSchema");
      String first = text("connectionInitSql", "initSQL");
      if (catalog != null) {
        connection.setCatalog(catalog);
      }
      if (schema != null) {
        connection.setSchema(schema);
      }
      if (first != null) {
        try (Statement statement = connection.createStatement()) {
          statement.execute(first);
        }
      }
      ready = true;
      return connection;
    } finally {
      if (!ready) {
        connection.close();
      }
    }
  }
}
