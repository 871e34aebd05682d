/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** Loses its connections after a number of statements, as if the process had died. */
final class CutDataSource {
  private final DataSource dataSource;
  private final Pattern counted;
  private final int allowed;
  private final AtomicInteger seen = new AtomicInteger();

  /**
   * @param counted what such statements contain
   */
  CutDataSource(DataSource dataSource, String counted, int allowed) {
    this.dataSource = dataSource;
    this.counted = Pattern.compile(counted);
    this.allowed = allowed;
  }

  DataSource proxy() {
    return wrap(
        DataSource.class,
        dataSource,
        result -> result instanceof Connection connection ? of(connection) : result);
  }

  private Connection of(Connection connection) {
    return wrap(
        Connection.class,
        connection,
        result ->
            result instanceof Statement statement && !(result instanceof PreparedStatement)
                ? of(connection, statement)
                : result);
  }

  private Object of(Connection connection, Statement statement) {
    return Proxy.newProxyInstance(
        Statement.class.getClassLoader(),
        new Class<?>[] {Statement.class},
        (proxy, method, arguments) -> {
          if (method.getName().equals("execute")
              && counted.matcher((String) arguments[0]).find()
              && seen.getAndIncrement() == allowed) {
            connection.abort(Runnable::run);
            throw new SQLException("cut off", "08006");
          }
          return call(() -> method.invoke(statement, arguments));
        });
  }

  private interface Change {
    Object of(Object result);
  }

  private interface Call {
    Object run() throws IllegalAccessException, InvocationTargetException;
  }

  private static <T> T wrap(Class<T> type, T target, Change change) {
    return type.cast(
        Proxy.newProxyInstance(
            CutDataSource.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> change.of(call(() -> method.invoke(target, arguments)))));
  }

  private static Object call(Call call) throws SQLException, IllegalAccessException {
    try {
      return call.run();
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof SQLException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }
}
