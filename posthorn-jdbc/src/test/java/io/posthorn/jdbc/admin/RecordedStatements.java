/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.admin;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;

/** Writes down the text of each statement that is prepared on connections of a data source. */
public final class RecordedStatements {
  private final DataSource target;
  private final List<String> prepared = new CopyOnWriteArrayList<>();

  public RecordedStatements(DataSource target) {
    this.target = target;
  }

  public DataSource dataSource() {
    return proxy(DataSource.class, target);
  }

  /** Those that have this text in them, in order. */
  public List<String> containing(String text) {
    return prepared.stream().filter(sql -> sql.contains(text)).toList();
  }

  public void clear() {
    prepared.clear();
  }

  private <T> T proxy(Class<T> type, T object) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (any, method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                prepared.add((String) arguments[0]);
              }
              try {
                Object result = method.invoke(object, arguments);
                return method.getName().equals("getConnection")
                    ? proxy(Connection.class, (Connection) result)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(proxy);
  }
}
