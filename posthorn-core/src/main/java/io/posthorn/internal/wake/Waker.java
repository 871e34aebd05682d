/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.wake;

import io.posthorn.spi.Duty;
import io.posthorn.spi.Duty.StepResult;
import io.posthorn.spi.DutyRunner;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.Ticker;
import io.posthorn.spi.WakeChannel;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tells the relays of other processes that there is something for them: many commits, one signal.
 * Signals leave from a thread and a connection of their own, never from the publisher's
 * transaction.
 */
public final class Waker implements Duty {
  static final String MESSAGES = "m:";
  static final String DEFERRED = "d:";
  static final String LEASES = "l";
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");
  private static final Duration FIRST_REST = Duration.ofMillis(5);
  private static final Duration LONGEST_REST = Duration.ofMillis(20);
  private static final Duration IDLE = Duration.ofSeconds(30);

  private final WakeChannel channel;
  private final ReentrantLock lock = new ReentrantLock();
  private News news = News.none(); // guarded by lock
  private Duration rest = FIRST_REST; // signal thread only
  private volatile DutyRunner.@Nullable RunningDuty running;
  private volatile @Nullable WakeListener listener;

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

  /**
   * What is to be told.
   *
   * @param messages partitions with new messages
   * @param deferred partitions whose deferred rows a person has changed
   * @param leases whether ownership or pauses have changed
   */
  private record News(BitSet messages, BitSet deferred, boolean leases) {
    static News none() {
      return new News(new BitSet(), new BitSet(), false);
    }

    News and(News more) {
      return new News(
          union(messages, more.messages), union(deferred, more.deferred), leases || more.leases);
    }

    private static BitSet union(BitSet some, BitSet more) {
      BitSet all = (BitSet) some.clone();
      all.or(more);
      return all;
    }
  }

  /** Notes that these partitions have new messages. */
  public void messagesIn(BitSet partitions) {
    note(new News(partitions, new BitSet(), false));
    nudge();
  }

  /** Notes that a person has changed deferred rows of these partitions. */
  public void deferredChanged(BitSet partitions) {
    note(new News(new BitSet(), partitions, false));
    nudge();
  }

  /** Notes that the ownership of partitions, or what is paused, has changed. */
  public void leasesChanged() {
    note(new News(new BitSet(), new BitSet(), true));
    nudge();
  }

  private void note(News more) {
    lock.lock();
    try {
      news = news.and(more);
    } finally {
      lock.unlock();
    }
  }

  private News taken() {
    lock.lock();
    try {
      News taken = news;
      news = News.none();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Sends what is to be told, then collects for a while, longer if there is always something: a
   * signal is a transaction for the database, and wakes every relay.
   */
  @Override
  public StepResult runOnce() {
    News toSend = taken();
    boolean delivered = false;
    try {
      int signals = send(toSend);
      delivered = true;
      return signals == 0 ? idle() : resting(signals);
    } finally {
      if (!delivered) {
        note(toSend); // it goes with the next try
      }
    }
  }

  /**
   * Closes the channel. For the end, when no pass is under way.
   *
   * @param sendRest whether to send what the last pass has left, above all that the relay is gone:
   *     without it the others would find out later
   */
  public void close(boolean sendRest) {
    try {
      if (sendRest) {
        send(taken());
      }
    } catch (RuntimeException e) { // they find out by themselves
      LOGGER.log(Level.DEBUG, "the last signals were not sent", e);
    } finally {
      channel.close();
    }
  }

  /**
   * The duty that listens to the others.
   *
   * @param joined until the relay has joined there is nothing to hear
   * @param messages gets partitions with new messages
   * @param deferred gets partitions whose deferred rows an operator has changed
   * @param leases called when the ownership of partitions, or what is paused, has changed
   */
  public Duty listener(
      String relay,
      Ticker ticker,
      BooleanSupplier joined,
      Consumer<BitSet> messages,
      Consumer<BitSet> deferred,
      Runnable leases) {
    WakeListener made =
        new WakeListener(relay, channel, ticker, joined, messages, deferred, leases);
    listener = made;
    return made;
  }

  /** Whether signals have been coming, as far as known: what is told need not be looked for. */
  public boolean hears() {
    WakeListener made = listener;
    return made != null && made.hears();
  }

  private StepResult idle() {
    rest = FIRST_REST;
    return new StepResult(0, IDLE);
  }

  private StepResult resting(int signals) {
    Duration now = rest;
    Duration longer = rest.multipliedBy(2);
    rest = longer.compareTo(LONGEST_REST) > 0 ? LONGEST_REST : longer;
    return new StepResult(signals, now, now);
  }

  private int send(News toSend) {
    int signals = send(MESSAGES, toSend.messages) + send(DEFERRED, toSend.deferred);
    if (toSend.leases) {
      channel.send(LEASES);
      signals++;
    }
    return signals;
  }

  private int send(String what, BitSet partitions) {
    if (partitions.isEmpty()) {
      return 0;
    }
    channel.send(
        what + partitions.stream().mapToObj(Integer::toString).collect(Collectors.joining(",")));
    return 1;
  }
}
