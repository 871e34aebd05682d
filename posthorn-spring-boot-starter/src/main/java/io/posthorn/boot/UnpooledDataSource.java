/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Method;
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
import org.springframework.util.ReflectionUtils;

/**
 * Opens connections as a pool does, but outside of it. The pool is asked each time, since
 * credentials may change. Its settings are found by the names of its properties: HikariCP, Tomcat's
 * and DBCP tell them, some in ways of their own.
 */
final class UnpooledDataSource extends AbstractDataSource {
  private static final List<String> POOLS =
      List.of(
          "com.zaxxer.hikari.HikariDataSource",
          "org.apache.tomcat.jdbc.pool.DataSource",
          "org.apache.commons.dbcp2.BasicDataSource");

  private static final String NOT_CONNECTED = "08001";
  private static final String[] URL = {"jdbcUrl", "url"};

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
        UnpooledDataSource found = new UnpooledDataSource(settingsOf(pool));
        return found.text(URL) == null ? null : found;
      }
    }
    return null;
  }

  /** Tomcat's pool itself gives a sentence in place of its password. */
  private static BeanWrapper settingsOf(DataSource pool) {
    BeanWrapper settings = PropertyAccessorFactory.forBeanPropertyAccess(pool);
    Object inner =
        settings.isReadableProperty("poolProperties")
            ? settings.getPropertyValue("poolProperties")
            : null;
    return inner == null ? settings : PropertyAccessorFactory.forBeanPropertyAccess(inner);
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

  private String url() {
    return requireNonNull(text(URL), "url");
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
    for (Object more :
        new Object[] {
          value("dataSourceProperties"), value("dbProperties"), connectionProperties()
        }) {
      if (more instanceof Properties properties) {
        settings.putAll(properties);
      }
    }
    putIfSet(settings, "user", user);
    putIfSet(settings, "password", password);
    String url = url();
    ConnectLimit limit = ConnectLimit.in(url, settings);
    return prepared(connected(url, settings), limit);
  }

  private Connection connected(String url, Properties settings) throws SQLException {
    try {
      Connection connection = driver(url).connect(url, settings);
      if (connection == null) {
        throw new SQLException(
            "the driver does not take the URL of the application's pool", NOT_CONNECTED);
      }
      return connection;
    } catch (RuntimeException e) {
      if (Thread.currentThread().isInterrupted()) { // PostgreSQL's driver, with a loginTimeout
        throw new SQLException("interrupted while connecting", NOT_CONNECTED, e);
      }
      throw e;
    }
  }

  /** DBCP keeps them to its own package; the others have a text of this name. */
  private @Nullable Object connectionProperties() {
    Object owner = pool.getWrappedInstance();
    Method getter = ReflectionUtils.findMethod(owner.getClass(), "getConnectionProperties");
    if (getter == null) {
      return null;
    }
    ReflectionUtils.makeAccessible(getter);
    return ReflectionUtils.invokeMethod(getter, owner);
  }

  private static void putIfSet(Properties settings, String name, @Nullable String value) {
    if (value != null) {
      settings.setProperty(name, value);
    }
  }

  private Driver driver(String url) throws SQLException {
    String name = text("driverClassName");
    return name == null
        ? DriverManager.getDriver(url)
        : (Driver)
            BeanUtils.instantiateClass(
                ClassUtils.resolveClassName(name, ClassUtils.getDefaultClassLoader()));
  }

  private List<String> firstStatements() {
    String first = text("connectionInitSql", "initSQL");
    if (first != null) {
      return List.of(first);
    }
    return value("connectionInitSqls") instanceof List<?> several
        ? several.stream().map(String::valueOf).toList()
        : List.of();
  }

  /** As the pool does, so that tables are found in the same schema. */
  private Connection prepared(Connection connection, ConnectLimit limit) throws SQLException {
    boolean ready = false;
    try {
      String catalog = text("catalog", "defaultCatalog");
      String schema = text("schema", "defaultSchema");
      if (catalog != null) {
        connection.setCatalog(catalog);
      }
      if (schema != null) {
        connection.setSchema(schema);
      }
      try (Statement statement = connection.createStatement()) {
        for (String first : firstStatements()) {
          statement.execute(first);
        }
      }
      limit.end(connection);
      ready = true;
      return connection;
    } finally {
      if (!ready) {
        connection.close();
      }
    }
  }
}
