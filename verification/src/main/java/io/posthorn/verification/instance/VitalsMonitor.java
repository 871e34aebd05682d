/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import com.sun.management.UnixOperatingSystemMXBean;
import io.posthorn.Delivery;
import io.posthorn.verification.history.VitalsLog;
import io.posthorn.verification.history.VitalsLog.Vitals;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Notes every few seconds how this process is. Safe to share between threads. */
final class VitalsMonitor {
  private static final long INTERVAL_SECONDS = 5;

  private final VitalsLog log;
  private final ReentrantLock lock = new ReentrantLock();
  private List<Long> latencies = new ArrayList<>(); // guarded by lock
  private long deliveries; // guarded by lock

  VitalsMonitor(VitalsLog log) {
    this.log = log;
  }

  void start() {
    Thread thread = new Thread(this::work, "vitals");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * A delivery begins.
   *
   * @param meant whether it says something about latency: a retry does not
   */
  void begins(Delivery delivery, boolean meant) {
    long latency = System.currentTimeMillis() - delivery.occurredAt().toEpochMilli();
    lock.lock();
    try {
      deliveries++;
      if (meant) {
        latencies.add(latency);
      }
    } finally {
      lock.unlock();
    }
  }

  private void work() {
    try {
      while (true) {
        TimeUnit.SECONDS.sleep(INTERVAL_SECONDS);
        log.note(vitals());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Vitals vitals() {
    List<Long> recent;
    long begun;
    lock.lock();
    try {
      recent = latencies;
      begun = deliveries;
      latencies = new ArrayList<>();
      deliveries = 0;
    } finally {
      lock.unlock();
    }
    Collections.sort(recent);
    Runtime runtime = Runtime.getRuntime();
    return new Vitals(
        System.currentTimeMillis(),
        runtime.totalMemory() - runtime.freeMemory(),
        ManagementFactory.getThreadMXBean().getThreadCount(),
        handles(),
        begun,
        recent.isEmpty() ? 0 : recent.get(recent.size() / 2),
        recent.isEmpty() ? 0 : recent.get(recent.size() * 99 / 100));
  }

  private static long handles() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getOpenFileDescriptorCount()
        : 0;
  }
}
