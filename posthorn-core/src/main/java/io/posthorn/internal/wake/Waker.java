/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.wake;

import io.posthorn.spi.Duty;
import io.posthorn.spi.DutyRunner;
import io.posthorn.spi.StepResult;
import io.posthorn.spi.WakeChannel;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tells the relays of other processes that there is something for them: many commits, one signal.
 * Signals leave from a thread and a connection of their own, never from the publisher's
 * transaction.
 */
public final class Waker implements Duty {
  static final String MESSAGES = "m:";
  static final String LEASES = "l";
  private static final Duration COALESCE = Duration.ofMillis(5);
  private static final Duration IDLE = Duration.ofSeconds(30);

  private final WakeChannel channel;
  private final ReentrantLock lock = new ReentrantLock();
  private BitSet partitions = new BitSet(); // guarded by lock
  private boolean leases; // guarded by lock
  private boolean sent; // signal thread only
  private volatile DutyRunner.@Nullable RunningDuty running;

  public Waker(WakeChannel channel) {
    this.channel = channel;
  }

  @Override
  public String name() {
    return "signal";
  }

  /** Tells by what it can be nudged. */
  public void runsAs(DutyRunner.RunningDuty duty) {
    running = duty;
  }

  private void nudge() {
    DutyRunner.RunningDuty duty = running;
    if (duty != null) {
      duty.nudge();
    }
  }

  /** Notes that these partitions have new messages. */
  public void messagesIn(BitSet more) {
    lock.lock();
    try {
      partitions.or(more);
    } finally {
      lock.unlock();
    }
    nudge();
  }

  /** Notes that the ownership of partitions has changed. */
  public void leasesChanged() {
    lock.lock();
    try {
      leases = true;
    } finally {
      lock.unlock();
    }
    nudge();
  }

  @Override
  public StepResult runOnce() {
    if (sent) {
      sent = false;
      return new StepResult(0, COALESCE);
    }
    BitSet toSend;
    boolean leasesToSend;
    lock.lock();
    try {
      toSend = partitions;
      leasesToSend = leases;
      partitions = new BitSet();
      leases = false;
    } finally {
      lock.unlock();
    }
    boolean delivered = false;
    try {
      int signals = send(toSend, leasesToSend);
      delivered = true;
      sent = signals > 0;
      return sent ? StepResult.again(signals) : new StepResult(0, IDLE);
    } finally {
      if (!delivered) {
        keep(toSend, leasesToSend);
      }
    }
  }

  private int send(BitSet toSend, boolean leasesToSend) {
    int signals = 0;
    if (!toSend.isEmpty()) {
      channel.send(
          MESSAGES + toSend.stream().mapToObj(Integer::toString).collect(Collectors.joining(",")));
      signals++;
    }
    if (leasesToSend) {
      channel.send(LEASES);
      signals++;
    }
    return signals;
  }

  /** What could not be sent goes with the next try. */
  private void keep(BitSet unsent, boolean leasesUnsent) {
    lock.lock();
    try {
      partitions.or(unsent);
      leases |= leasesUnsent;
    } finally {
      lock.unlock();
    }
  }
}
