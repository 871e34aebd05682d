/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.WakeChannel;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * LISTEN and NOTIFY, each on a connection of its own: a NOTIFY inside business transactions would
 * make their commits wait for each other.
 */
public final class PostgresWakeChannel implements WakeChannel {
  private final DataSource dataSource;
  private final String name;
  private final ReentrantLock sending = new ReentrantLock();
  private @Nullable Connection sender; // guarded by sending
  private volatile @Nullable Connection listener; // opened by the listening thread

  public PostgresWakeChannel(DataSource dataSource, String name) {
    this.dataSource = dataSource;
    this.name = name;
  }

  @Override
  public void send(String signal) {
    sending.lock();
    try {
      Connection open = sender;
      if (open == null) {
        open = dataSource.getConnection();
        sender = open; // before anything can fail
        open.setAutoCommit(true);
      }
      try (PreparedStatement notify = open.prepareStatement("SELECT pg_notify(?, ?)")) {
        notify.setString(1, name);
        notify.setString(2, signal);
        notify.execute();
      }
    } catch (SQLException e) {
      closeQuietly(sender);
      sender = null;
      throw StoreFailures.noConnection("No signal sent", e);
    } finally {
      sending.unlock();
    }
  }

  @Override
  public List<String> receive(Duration timeout) {
    try {
      PGNotification[] heard =
          listening()
              .unwrap(PGConnection.class)
              .getNotifications(Math.toIntExact(timeout.toMillis()));
      List<String> signals = new ArrayList<>();
      if (heard != null) {
        for (PGNotification notification : heard) {
          signals.add(notification.getParameter());
        }
      }
      return signals;
    } catch (SQLException e) {
      closeQuietly(listener);
      listener = null;
      throw StoreFailures.noConnection("No signals heard", e);
    }
  }

  private Connection listening() throws SQLException {
    Connection open = listener;
    if (open == null) {
      open = dataSource.getConnection();
      listener = open; // before anything can fail
      open.setAutoCommit(true);
      try (Statement listen = open.createStatement()) {
        listen.execute("LISTEN " + name);
      }
    }
    return open;
  }

  @Override
  public void close() {
    sending.lock();
    try {
      closeQuietly(sender);
      sender = null;
    } finally {
      sending.unlock();
    }
    Connection open = listener;
    listener = null;
    if (open != null) {
      try (Statement unlisten = open.createStatement()) {
        unlisten.execute("UNLISTEN " + name);
      } catch (SQLException e) {
        System.getLogger("io.posthorn.jdbc")
            .log(System.Logger.Level.DEBUG, "UNLISTEN failed", StoreFailures.scrubbed(e));
      }
      closeQuietly(open);
    }
  }

  private static void closeQuietly(@Nullable Connection connection) {
    if (connection == null) {
      return;
    }
    try {
      connection.close();
    } catch (SQLException e) {
      System.getLogger("io.posthorn.jdbc")
          .log(System.Logger.Level.DEBUG, "close failed", StoreFailures.scrubbed(e));
    }
  }
}
