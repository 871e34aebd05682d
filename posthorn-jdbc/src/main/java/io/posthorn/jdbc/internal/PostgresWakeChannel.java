/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.StoreException;
import io.posthorn.spi.WakeChannel;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * LISTEN and NOTIFY outside of business transactions: a NOTIFY inside them would make their commits
 * wait for each other.
 *
 * <p>In a relay both use connections that are there anyway. NOTIFY goes between two settles. LISTEN
 * has the connection of the lease, which is used a few times a minute: whoever wants it waits for
 * the rest of a slice at the most, and for its next statements hardly at all.
 */
final class PostgresWakeChannel implements WakeChannel {
  private static final long SLICE = 20;
  private static final long BRISK_SLICE = 1;
  private static final int BRISK_SLICES = 50;

  private final HeldConnection sending;
  private final HeldConnection listening;
  private final boolean shared;
  private final String name;
  private volatile @Nullable Connection listensOn; // written by the listening thread, and at close
  private long callsSeen; // listening thread only
  private int brisk; // listening thread only; how many slices are to be short

  private PostgresWakeChannel(
      HeldConnection sending, HeldConnection listening, boolean shared, String name) {
    this.sending = sending;
    this.listening = listening;
    this.shared = shared;
    this.name = name;
  }

  /** On connections of a relay, which closes them. */
  static PostgresWakeChannel sharing(
      HeldConnection sending, HeldConnection listening, String name) {
    return new PostgresWakeChannel(sending, listening, true, name);
  }

  /** On connections of its own, each taken when it is needed. */
  static PostgresWakeChannel owning(HeldConnection sending, HeldConnection listening, String name) {
    return new PostgresWakeChannel(sending, listening, false, name);
  }

  @Override
  public void send(String signal) {
    sending.call(
        connection -> {
          try (PreparedStatement notify = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
            notify.setString(1, name);
            notify.setString(2, signal);
            return notify.execute();
          }
        });
  }

  @Override
  public List<String> receive(Duration timeout) {
    List<String> signals = new ArrayList<>();
    long left = Math.max(1, timeout.toMillis());
    while (signals.isEmpty() && left > 0) {
      int slice = Math.toIntExact(shared ? Math.min(left, slice()) : left);
      signals.addAll(listening.call(connection -> heard(connection, slice)));
      callsSeen++;
      left -= slice;
    }
    return signals;
  }

  private long slice() {
    long calls = listening.calls();
    brisk = calls == callsSeen ? Math.max(0, brisk - 1) : BRISK_SLICES;
    callsSeen = calls;
    return brisk > 0 ? BRISK_SLICE : SLICE;
  }

  private List<String> heard(Connection connection, int millis) throws SQLException {
    Connection before = listensOn;
    if (before == null) {
      execute(connection, "LISTEN ");
      listensOn = connection;
    } else if (before != connection) {
      listensOn = null;
      throw StoreException.unavailable(
          "No signals heard: the connection was replaced, what was said meanwhile is lost", null);
    }
    PGNotification[] heard = connection.unwrap(PGConnection.class).getNotifications(millis);
    List<String> signals = new ArrayList<>();
    if (heard != null) {
      for (PGNotification notification : heard) {
        signals.add(notification.getParameter());
      }
    }
    return signals;
  }

  /**
   * The driver was told a process at the beginning of the session. A pooler makes one up, and a
   * transaction-level one passes nothing on that was not asked for.
   */
  @Override
  public Optional<String> obstacle() {
    return listening.call(
        connection ->
            connection.unwrap(PGConnection.class).getBackendPID() == process(connection)
                ? Optional.empty()
                : Optional.of(
                    "a connection pooler is in between; LISTEN needs a direct connection, or one pooler session for each"));
  }

  private static int process(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet process = statement.executeQuery("SELECT pg_backend_pid()")) {
      process.next();
      return process.getInt(1);
    }
  }

  private boolean execute(Connection connection, String what) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.execute(what + name);
    }
  }

  @Override
  public void close() {
    Connection listened = listensOn;
    listensOn = null;
    if (listened != null) {
      listening.callIfHeld(listened, connection -> execute(connection, "UNLISTEN "));
    }
    if (!shared) {
      sending.close();
      listening.close();
    }
  }
}
