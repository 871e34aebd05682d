/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import io.posthorn.spi.DutyRunner;
import io.posthorn.spi.LoggerSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes the threads of a relay: {@code posthorn-<relay>-<duty>-<n>}, all daemons. */
public final class Threads {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn");

  private Threads() {}

  /**
   * Runs each duty on a thread of its own.
   *
   * @param whenEnded called when a thread has ended that nobody had stopped
   */
  public static DutyRunner forDuties(String relay, FailureLog failures, Runnable whenEnded) {
    return Loop.onThreads(relay, failures, whenEnded);
  }

  /** As many threads as there is something to deliver for. */
  public static ExecutorService forDeliveries(String relay, boolean virtual) {
    return Executors.newCachedThreadPool(
        virtual ? virtual(relay, "deliver") : platform(relay, "deliver"));
  }

  static ThreadFactory platform(String relay, String duty) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name(relay, duty) + number.incrementAndGet());
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler(Threads::uncaught);
      return thread;
    };
  }

  /** Whether this JVM has virtual threads. */
  public static boolean hasVirtual() {
    return Runtime.version().feature() >= 21;
  }

  /** Virtual threads, by reflection since the byte code is Java 17. */
  static ThreadFactory virtual(String relay, String duty) {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      builder =
          type.getMethod("name", String.class, long.class).invoke(builder, name(relay, duty), 1L);
      builder =
          type.getMethod("uncaughtExceptionHandler", Thread.UncaughtExceptionHandler.class)
              .invoke(builder, (Thread.UncaughtExceptionHandler) Threads::uncaught);
      return (ThreadFactory) type.getMethod("factory").invoke(builder);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this JVM has no virtual threads: " + Runtime.version(), e);
    }
  }

  private static String name(String relay, String duty) {
    return "posthorn-" + relay + "-" + duty + "-";
  }

  private static void uncaught(Thread thread, Throwable cause) {
    LOGGER.log(Level.ERROR, "thread \"" + thread.getName() + "\" ended unexpectedly", cause);
  }
}
