/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** A data source whose connections fail at one of their methods, and which counts the open ones. */
final class BrokenConnections {
  private final JdbcDataSource database = new JdbcDataSource();
  private final AtomicInteger open = new AtomicInteger();
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private volatile String failingAt = "";

  BrokenConnections() {
    database.setURL("jdbc:h2:mem:" + UUID.randomUUID());
  }

  /** From now on. */
  void failAt(String method) {
    failingAt = method;
  }

  /** What was called on connections, in its order. */
  List<String> calls() {
    return calls;
  }

  int open() {
    return open.get();
  }

  DataSource dataSource() {
    return proxy(
        DataSource.class,
        (method, arguments) -> {
          if (!method.getName().equals("getConnection")) {
            return call(database, method, arguments);
          }
          Connection connection = database.getConnection();
          open.incrementAndGet();
          return counted(connection);
        });
  }

  private Connection counted(Connection connection) {
    return proxy(
        Connection.class,
        (method, arguments) -> {
          calls.add(method.getName());
          if (method.getName().equals(failingAt)) {
            throw new SQLException("broken at " + failingAt, "XX000");
          }
          if (method.getName().equals("close") && !connection.isClosed()) {
            open.decrementAndGet();
          }
          if (method.getName().equals("abort")) {
            return null; // pools close it later
          }
          return call(connection, method, arguments);
        });
  }

  private interface Call {
    Object with(Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            BrokenConnections.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> call.with(method, arguments)));
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
