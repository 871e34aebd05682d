/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * From settings to a running server, and back to nothing. Threads may share it: one at a time
 * changes the state.
 */
final class PostgresLifecycle {

  private final String version;
  private final Function<Path, Account> accounts;
  private final ReservedPort port;
  private final Thread atExit = new Thread(() -> end("QUIT"), "posthorn-postgres-exit");
  private final ReentrantLock lock = new ReentrantLock();

  private PostgresSettings settings = PostgresSettings.durable(); // guarded by lock
  private @Nullable Postmaster postmaster; // guarded by lock; null before the first start
  private boolean closed; // guarded by lock

  PostgresLifecycle(String version, Function<Path, Account> accounts, ReservedPort port) {
    this.version = version;
    this.accounts = accounts;
    this.port = port;
  }

  void set(String name, String value) {
    locked(
        () -> {
          if (postmaster != null) {
            throw new IllegalStateException(
                "Setting \"" + name + "\" not taken: settings come before the first start");
          }
          settings = settings.with(name, value);
        });
  }

  void start() {
    locked(
        () -> {
          if (closed) {
            throw new IllegalStateException("PostgreSQL not started: closed, so make a new server");
          }
          if (postmaster == null) {
            postmaster = prepare();
            Runtime.getRuntime().addShutdownHook(atExit);
          }
          if (!postmaster.running()) {
            postmaster.start();
          }
        });
  }

  private Postmaster prepare() {
    Platform.check();
    ServerFiles files = ServerFiles.ofThisUser();
    Account account = accounts.apply(files.root());
    PostgresInstallation installation = PostgresInstallation.of(version, files, account);
    try {
      return Postmaster.prepare(files.newDirectory(), installation, settings, port.number());
    } catch (IOException e) {
      throw new ServerException(
          "No data directory made in "
              + files.root()
              + ": free some space there, or set"
              + " -Djava.io.tmpdir to another directory",
          e);
    }
  }

  /** Sends SIGINT ("INT", fast shutdown) or SIGQUIT ("QUIT", immediate shutdown). */
  void stop(String signal) {
    withPostmaster(running -> running.stop(signal));
  }

  void kill() {
    withPostmaster(Postmaster::kill);
  }

  boolean running() {
    lock.lock();
    try {
      return postmaster != null && postmaster.running();
    } finally {
      lock.unlock();
    }
  }

  void close() {
    end("INT");
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException jvmIsEnding) {
      // Then the hook runs and finds nothing left to do.
    }
  }

  private void end(String signal) {
    locked(
        () -> {
          if (!closed) {
            closed = true;
            port.close();
            stop(signal);
            withPostmaster(Postmaster::delete);
          }
        });
  }

  private void withPostmaster(Consumer<Postmaster> action) {
    locked(
        () -> {
          if (postmaster != null) {
            action.accept(postmaster);
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
