/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * From nothing to a running server, and back. Threads may share it: one at a time changes the
 * state.
 *
 * @param <D> the kind of server
 */
final class ServerLifecycle<D extends Daemon> {

  private final String product;
  private final Supplier<D> prepare;
  private final ReservedPort port;
  private final Thread atExit;
  private final ReentrantLock lock = new ReentrantLock();

  private @Nullable D daemon; // guarded by lock; null before the first start
  private boolean closed; // guarded by lock

  /**
   * @param prepare makes a data directory; called once, at the first start
   */
  ServerLifecycle(String product, ReservedPort port, Supplier<D> prepare) {
    this.product = product;
    this.port = port;
    this.prepare = prepare;
    this.atExit = new Thread(() -> end(Daemon::stopAtOnce), "posthorn-" + product + "-exit");
  }

  /** Runs an action that is legal only before the first start. */
  void beforeStart(String what, Runnable action) {
    locked(
        () -> {
          if (daemon != null) {
            throw new IllegalStateException(what + " not taken: it comes before the first start");
          }
          action.run();
        });
  }

  void start() {
    locked(
        () -> {
          if (closed) {
            throw new IllegalStateException(product + " not started: closed, so make a new server");
          }
          D starting = daemon;
          if (starting == null) {
            starting = prepare.get();
            daemon = starting;
            Runtime.getRuntime().addShutdownHook(atExit);
          }
          if (!starting.running()) {
            starting.start();
          }
        });
  }

  /** Does something to the server, if it was ever started. */
  void withDaemon(Consumer<? super D> action) {
    locked(
        () -> {
          if (daemon != null) {
            action.accept(daemon);
          }
        });
  }

  /** The server, which was started before. */
  D daemon() {
    lock.lock();
    try {
      D started = daemon;
      if (started == null) {
        throw new IllegalStateException(product + " was never started");
      }
      return started;
    } finally {
      lock.unlock();
    }
  }

  boolean running() {
    lock.lock();
    try {
      return daemon != null && daemon.running();
    } finally {
      lock.unlock();
    }
  }

  void close() {
    end(Daemon::stop);
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException jvmIsEnding) {
      // Then the hook runs and finds nothing left to do.
    }
  }

  private void end(Consumer<? super D> stop) {
    locked(
        () -> {
          if (!closed) {
            closed = true;
            port.close();
            withDaemon(stop);
            withDaemon(Daemon::delete);
          }
        });
  }

  private void locked(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }
}
