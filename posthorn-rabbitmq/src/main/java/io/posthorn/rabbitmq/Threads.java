/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import static java.lang.System.Logger.Level.ERROR;

import io.posthorn.spi.LoggerSource;

/** The threads of a sender, none of which keeps a JVM alive. */
final class Threads {
  private static final System.Logger LOG = LoggerSource.of(Threads.class.getName());

  private Threads() {}

  static Thread start(String name, Runnable duty) {
    Thread thread = new Thread(duty, name);
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler(
        (failed, failure) -> LOG.log(ERROR, "thread " + failed.getName() + " has ended", failure));
    thread.start();
    return thread;
  }
}
