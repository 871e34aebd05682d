/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.Ticker;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A clock that moves only when it is told to. Wall time and elapsed time can move independently, as
 * they do on machines that are suspended or set. Safe to share between threads.
 *
 * @since 0.1
 */
public final class MutableClock extends Clock {
  private final AtomicLong wallMillis;
  private final AtomicLong elapsedNanos = new AtomicLong();
  private final List<Consumer<Duration>> followers = new CopyOnWriteArrayList<>();

  /** Starts at some fixed time of 2026. */
  public MutableClock() {
    this(Instant.parse("2026-03-29T00:59:30Z"));
  }

  public MutableClock(Instant start) {
    this.wallMillis = new AtomicLong(start.toEpochMilli());
  }

  /** Moves wall time and elapsed time, and those who follow. */
  public void advance(Duration by) {
    advanceWall(by);
    advanceElapsed(by);
    followers.forEach(follower -> follower.accept(by));
  }

  /** Moves wall time only: somebody sets the clock. */
  public void advanceWall(Duration by) {
    wallMillis.addAndGet(by.toMillis());
  }

  /** Moves elapsed time only: the clock is set back by as much as has passed. */
  public void advanceElapsed(Duration by) {
    elapsedNanos.addAndGet(by.toNanos());
  }

  /** Tells a follower of each advance; a database's clock, for example. */
  public void onAdvance(Consumer<Duration> follower) {
    followers.add(requireNonNull(follower, "follower"));
  }

  /** Elapsed time. */
  public Ticker ticker() {
    return elapsedNanos::get;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(wallMillis.get());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
