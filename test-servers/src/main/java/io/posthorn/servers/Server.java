/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

/**
 * One server process with one port and one data directory, which can be stopped, killed and started
 * again on both.
 *
 * <p>Threads may share it. Every method blocks until what it names has happened, and fails with a
 * {@link ServerException} if that takes too long. The process dies with the JVM that started it,
 * also when that JVM is killed.
 */
public interface Server extends AutoCloseable {

  /** Starts the process and waits until it answers. Does nothing if it runs already. */
  void start();

  /** Stops the process in the orderly way, without waiting for its clients. Harmless if stopped. */
  void stop();

  /**
   * Ends the process with SIGKILL, as a crash would, and waits until nothing of it is left that
   * could hinder the next {@link #start()}. Harmless if stopped.
   */
  void kill();

  boolean running();

  /** Stops the process and deletes its data directory. It cannot be started again. */
  @Override
  void close();
}
