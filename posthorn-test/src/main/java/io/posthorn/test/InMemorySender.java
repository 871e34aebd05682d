/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import static java.util.Objects.requireNonNull;

import io.posthorn.DestinationDownException;
import io.posthorn.PosthornException;
import io.posthorn.RefusedException;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * A sender that keeps what it is given, and can be down, refuse, or hold its answers back. Safe to
 * share between threads.
 *
 * @since 0.1
 */
public final class InMemorySender implements Sender {
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Outgoing> sent = new ArrayList<>(); // guarded by lock
  private final List<Held> held = new ArrayList<>(); // guarded by lock
  private Predicate<Outgoing> refused = message -> false; // guarded by lock
  private Predicate<Outgoing> failing = message -> false; // guarded by lock
  private boolean down; // guarded by lock
  private boolean holding; // guarded by lock

  private record Held(Outgoing message, CompletableFuture<Void> answer) {}

  /** Everything that was confirmed, in order. */
  public List<Outgoing> sent() {
    lock.lock();
    try {
      return List.copyOf(sent);
    } finally {
      lock.unlock();
    }
  }

  /** What was given to it and has no answer yet, in order. */
  public List<Outgoing> underWay() {
    lock.lock();
    try {
      return held.stream().map(Held::message).toList();
    } finally {
      lock.unlock();
    }
  }

  /** From now on it cannot be reached, or it can. */
  public void down(boolean down) {
    set(() -> this.down = down);
  }

  /** Refuses these for good, from now on. */
  public void refuse(Predicate<Outgoing> refused) {
    requireNonNull(refused, "refused");
    set(() -> this.refused = refused);
  }

  /** Fails with these, from now on, as if it were no matter of the message. */
  public void fail(Predicate<Outgoing> failing) {
    requireNonNull(failing, "failing");
    set(() -> this.failing = failing);
  }

  /** From now on answers wait until {@link #answerAll}. */
  public void holdAnswers() {
    set(() -> holding = true);
  }

  private void set(Runnable change) {
    lock.lock();
    try {
      change.run();
    } finally {
      lock.unlock();
    }
  }

  /** Answers what is under way. What is sent because of that waits again. */
  public void answerAll() {
    answer(message -> true);
  }

  /** As {@link #answerAll}, for some of them. */
  public void answer(Predicate<Outgoing> chosen) {
    requireNonNull(chosen, "chosen");
    List<Held> answered = new ArrayList<>();
    set(
        () -> {
          held.stream().filter(sending -> chosen.test(sending.message)).forEach(answered::add);
          held.removeAll(answered);
        });
    answered.forEach(this::answer);
  }

  @Override
  public CompletionStage<?> send(Outgoing message) {
    Held sending = new Held(requireNonNull(message, "message"), new CompletableFuture<>());
    boolean atOnce;
    lock.lock();
    try {
      atOnce = !holding;
      if (!atOnce) {
        held.add(sending);
      }
    } finally {
      lock.unlock();
    }
    if (atOnce) {
      answer(sending);
    }
    return sending.answer;
  }

  /** Outside the lock: whoever waits for the answer may send the next one. */
  private void answer(Held sending) {
    Exception failure = null;
    lock.lock();
    try {
      if (down) {
        failure = new DestinationDownException("the sender in memory was told to be down", null);
      } else if (refused.test(sending.message)) {
        failure = new RefusedException("the sender in memory was told to refuse it", null);
      } else if (failing.test(sending.message)) {
        failure = new PosthornException("the sender in memory was told to fail");
      } else {
        sent.add(sending.message);
      }
    } finally {
      lock.unlock();
    }
    if (failure == null) {
      sending.answer.complete(null);
    } else {
      sending.answer.completeExceptionally(failure);
    }
  }
}
