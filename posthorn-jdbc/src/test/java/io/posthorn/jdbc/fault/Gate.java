/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Stops threads at a place until they are released: a handler, or the statement that begins with
 * some text, just before it is sent.
 */
final class Gate {
  private volatile CountDownLatch closed = new CountDownLatch(0);
  private volatile String text = "";
  private volatile Runnable whenReached = () -> {};

  /** Stops whoever comes next with this text. */
  void hold(String textToStop, Runnable reached) {
    closed = new CountDownLatch(1);
    whenReached = reached;
    text = textToStop;
  }

  void release() {
    text = "";
    closed.countDown();
  }

  void pass(String at) {
    String statement = at.substring(at.lastIndexOf(';') + 1); // others are sent with it
    if (!text.isEmpty() && statement.strip().startsWith(text)) {
      CountDownLatch latch = closed;
      whenReached.run();
      try {
        if (!latch.await(60, TimeUnit.SECONDS)) {
          throw new IllegalStateException("nobody opened the gate at \"" + at + "\"");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** A data source whose prepared statements pass this gate before they are sent. */
  DataSource before(DataSource dataSource) {
    return proxy(
        DataSource.class,
        (method, arguments) -> {
          Object result = call(dataSource, method, arguments);
          return result instanceof Connection connection ? gated(connection) : result;
        });
  }

  private Connection gated(Connection connection) {
    return proxy(
        Connection.class,
        (method, arguments) -> {
          Object result = call(connection, method, arguments);
          return result instanceof PreparedStatement statement
              ? gated(statement, (String) arguments[0])
              : result;
        });
  }

  private PreparedStatement gated(PreparedStatement statement, String sql) {
    return proxy(
        PreparedStatement.class,
        (method, arguments) -> {
          if (method.getName().startsWith("execute")) {
            pass(sql);
          }
          return call(statement, method, arguments);
        });
  }

  private interface Call {
    Object with(Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            Gate.class.getClassLoader(),
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
