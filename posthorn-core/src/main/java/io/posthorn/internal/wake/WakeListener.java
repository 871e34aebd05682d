/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.wake;

import io.posthorn.spi.Duty;
import io.posthorn.spi.Duty.StepResult;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.Ticker;
import io.posthorn.spi.WakeChannel;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Hears the signals of other processes. It checks that it still hears, by a signal to itself: a
 * connection may be cut without a word, and behind some poolers signals never come. What was said
 * while it did not listen is lost, so whenever it begins to listen it asks for a look at
 * everything. Polling goes on in any case.
 */
final class WakeListener implements Duty {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");
  private static final String PING = "p:";
  private static final Duration LISTEN = Duration.ofMillis(500);
  private static final Duration LISTEN_ONLY = Duration.ofMillis(1);
  private static final Duration PING_INTERVAL = Duration.ofSeconds(30);
  private static final Duration ANSWER = Duration.ofSeconds(5);
  private static final Duration BEFORE_JOINING = Duration.ofMillis(20);

  private static final int MOST_PARTITIONS = 1 << Short.SIZE;
  private static final BitSet EVERYTHING = new BitSet();

  static {
    EVERYTHING.set(0, MOST_PARTITIONS);
  }

  private final String relay;
  private final WakeChannel channel;
  private final Ticker ticker;
  private final BooleanSupplier joined;
  private final Consumer<BitSet> messages;
  private final Consumer<BitSet> deferred;
  private final Runnable leases;
  private long pingedAt;
  private boolean pinged;
  private boolean answered = true;
  private boolean deafSaid;
  private boolean listening;
  private volatile boolean hears;

  /**
   * @param joined until the relay has joined there is nothing to hear, and the connection might be
   *     the last of a pool
   */
  WakeListener(
      String relay,
      WakeChannel channel,
      Ticker ticker,
      BooleanSupplier joined,
      Consumer<BitSet> messages,
      Consumer<BitSet> deferred,
      Runnable leases) {
    this.relay = relay;
    this.channel = channel;
    this.ticker = ticker;
    this.joined = joined;
    this.messages = messages;
    this.deferred = deferred;
    this.leases = leases;
  }

  @Override
  public String name() {
    return "wake";
  }

  @Override
  public StepResult runOnce() {
    boolean before = listening;
    if (!before && !joined.getAsBoolean()) {
      return new StepResult(0, BEFORE_JOINING);
    }
    List<String> signals = receive();
    if (!before) {
      messages.accept(EVERYTHING);
      deferred.accept(EVERYTHING);
      leases.run();
    }
    signals.forEach(this::hear);
    checkHearing();
    return StepResult.again(signals.size());
  }

  private List<String> receive() {
    boolean before = listening;
    listening = false; // until the channel says otherwise
    try {
      List<String> signals = channel.receive(before ? LISTEN : LISTEN_ONLY);
      listening = true;
      return signals;
    } finally {
      if (!listening) {
        forgetPing();
      }
    }
  }

  /** Whether signals have been coming, as far as known: what is told need not be looked for. */
  boolean hears() {
    return hears;
  }

  private void hear(String signal) {
    if (signal.equals(PING + relay)) {
      answered = true;
      hears = true;
      if (deafSaid) {
        deafSaid = false;
        LOGGER.log(Level.INFO, "[{0}] hears signals of other instances again", relay);
      }
    } else if (signal.equals(Waker.LEASES)) {
      leases.run();
    } else if (signal.startsWith(Waker.MESSAGES)) {
      messages.accept(partitions(signal.substring(Waker.MESSAGES.length())));
    } else if (signal.startsWith(Waker.DEFERRED)) {
      deferred.accept(partitions(signal.substring(Waker.DEFERRED.length())));
    }
  }

  private static BitSet partitions(String list) {
    BitSet partitions = new BitSet();
    for (String number : list.split(",", -1)) {
      try {
        partitions.set(Integer.parseInt(number) & MOST_PARTITIONS - 1);
      } catch (NumberFormatException e) { // whoever uses the same channel
        LOGGER.log(Level.DEBUG, "a signal that is none of Posthorn: \"{0}\"", list);
      }
    }
    return partitions;
  }

  private void checkHearing() {
    long now = ticker.nanos();
    if (!answered && now - pingedAt >= ANSWER.toNanos()) {
      listening = false;
      hears = false;
      answered = true;
      try {
        sayDeaf();
      } finally {
        channel.close();
      }
    } else if (answered && (!pinged || now - pingedAt >= PING_INTERVAL.toNanos())) {
      channel.send(PING + relay);
      pinged = true;
      pingedAt = now;
      answered = false;
    }
  }

  /** Not if the channel fails when it is asked: then it was cut, and that is said elsewhere. */
  private void sayDeaf() {
    if (deafSaid) {
      return;
    }
    LOGGER.log(
        Level.WARNING,
        "[{0}] hears no signals of other instances: {1}. Polling goes on, so their messages come a little later",
        relay,
        channel
            .obstacle()
            .orElseGet(() -> "its own did not come back within " + ANSWER.toSeconds() + " s"));
    deafSaid = true;
  }

  /**
   * An answer to a connection that was cut does not come, which says nothing about the next one.
   */
  private void forgetPing() {
    hears = false;
    pinged = false;
    answered = true;
  }
}
