/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

/** A server on its data directory. Not thread-safe: its {@link ServerLifecycle} holds the lock. */
interface Daemon {
  boolean running();

  /** Starts it and waits until it answers. */
  void start();

  /** Stops it in order and waits for the end. */
  void stop();

  /** Ends it at once, in the least harmful way; for the end of the JVM. */
  void stopAtOnce();

  /** Ends it with SIGKILL and waits until nothing of it is left. */
  void kill();

  /** Deletes the directory of a stopped server. */
  void delete();
}
