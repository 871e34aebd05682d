/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;
import java.util.logging.Logger;

/** Notes how connections are opened and what is done with them; there is no database behind. */
public final class RecordingDriver implements Driver {
  static final String URL = "jdbc:recording:shop";

  /** Of this thread: pools make drivers themselves, by the name of the class. */
  static final ThreadLocal<List<String>> NOTED = ThreadLocal.withInitial(ArrayList::new);

  @Override
  public Connection connect(String url, Properties settings) {
    NOTED.get().add("connect " + url + " " + new TreeMap<>(settings));
    return noting(Connection.class);
  }

  private static <T> T noting(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            RecordingDriver.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getReturnType() == Statement.class) {
                return noting(Statement.class);
              }
              if (arguments != null) {
                NOTED.get().add(method.getName() + " " + arguments[0]);
              }
              return method.getReturnType() == boolean.class ? false : null;
            }));
  }

  @Override
  public boolean acceptsURL(String url) {
    return url.equals(URL);
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties settings) {
    return new DriverPropertyInfo[0];
  }

  @Override
  public int getMajorVersion() {
    return 1;
  }

  @Override
  public int getMinorVersion() {
    return 0;
  }

  @Override
  public boolean jdbcCompliant() {
    return false;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }
}
