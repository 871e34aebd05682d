/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * One system under measurement, on a database of its own. Writers share it between threads; the
 * rest is called by one thread.
 */
public interface Subject extends AutoCloseable {

  /** The settings that matter, in the words of the system, to be printed beside its figures. */
  Map<String, String> settings();

  /** Whether the system promises that messages of one key are handled in the order of commits. */
  boolean keepsOrder();

  /** Creates the tables of the system, empty. Called once. */
  void createTables() throws Exception;

  /**
   * The tables that hold messages which wait to be handled: a backlog is saved and restored by
   * copying their rows. Further tables may exist.
   */
  List<String> backlogTables();

  /** What is run after rows of a backlog have been restored, so that they are found. */
  default List<String> afterRestore() {
    return List.of();
  }

  /** A query that counts the messages that have not been handled. */
  String countPending();

  /**
   * Runs one transaction the way users of the system do: the business's statements, then the
   * messages, if any, then the commit.
   */
  void transact(Business business, List<Order> orders) throws Exception;

  /**
   * Starts handling.
   *
   * @param handler called once per message by any thread, with number and key at least
   */
  void startRelay(Consumer<Order> handler) throws Exception;

  /** Stops handling and waits until all that was handled is stored. May be started again. */
  void stopRelay() throws Exception;

  /**
   * Fills the tables with messages that are not due for a day, and with keys that are blocked with
   * a message behind each block.
   *
   * @throws UnsupportedOperationException if the system has no such things
   */
  default void clutter(int delayed, int blockedKeys) throws Exception {
    throw new UnsupportedOperationException("no delayed messages or blocked keys");
  }

  /** The tables that hold what {@link #clutter} makes. */
  default List<String> clutterTables() {
    return List.of();
  }

  /** One key of so many goes to the second destination, if that is used. */
  int SECOND_ONE_IN = 12;

  /**
   * Sends one key in twelve to a second destination from now on, or none.
   *
   * @throws UnsupportedOperationException if it has no destinations
   */
  default void useSecondDestination(boolean used) throws Exception {
    throw new UnsupportedOperationException("no destinations");
  }

  /**
   * Makes the second destination take messages and not answer, or answer again.
   *
   * @throws UnsupportedOperationException if it has no destinations
   */
  default void stick(boolean stuck) throws Exception {
    throw new UnsupportedOperationException("no destinations");
  }

  /** Gives up what publishing needs; the relay has been stopped. */
  @Override
  void close();

  /** What an application does in its transaction besides publishing. */
  @FunctionalInterface
  interface Business {
    void run(Connection connection) throws Exception;
  }
}
