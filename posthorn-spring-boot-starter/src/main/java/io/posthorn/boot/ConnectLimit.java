/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;

/**
 * How long PostgreSQL's driver may take to open a connection. Of itself it bounds the TCP handshake
 * only ({@code connectTimeout}): its {@code loginTimeout} has the default 0, which hides that of
 * {@code DriverManager}, so that a server which accepts and then goes away is waited for without
 * end. What the URL or the pool sets is kept.
 *
 * <p>{@code loginTimeout} alone would leave a thread of the driver's waiting each time, so reads
 * are bounded too, until the connection is ready. Their limit comes first, then that for connects,
 * which all hosts of a URL share: so time is left for the next host when one has said nothing.
 *
 * @param bounded whether reads of the new connection are bounded here
 */
record ConnectLimit(boolean bounded) {
  private static final String POSTGRESQL = "jdbc:postgresql:";
  private static final String READ = "socketTimeout";
  private static final String READ_SECONDS = "10";
  private static final String CONNECT = "connectTimeout";
  private static final String CONNECT_SECONDS = "15";
  private static final String LOGIN = "loginTimeout";
  private static final String LOGIN_SECONDS = "20";

  static ConnectLimit in(String url, Properties settings) {
    if (!url.startsWith(POSTGRESQL)) {
      return new ConnectLimit(false);
    }
    settings.putIfAbsent(CONNECT, CONNECT_SECONDS);
    settings.putIfAbsent(LOGIN, LOGIN_SECONDS);
    boolean set = settings.containsKey(READ) || url.contains(READ + "=");
    if (!set) {
      settings.setProperty(READ, READ_SECONDS);
    }
    return new ConnectLimit(!set);
  }

  /** The connection is ready. How long statements may take is for whoever uses it. */
  void end(Connection connection) throws SQLException {
    if (bounded) {
      connection.setNetworkTimeout(Runnable::run, 0);
    }
  }
}
