/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.route;

import io.posthorn.Batch;
import io.posthorn.DeliveryResult;
import io.posthorn.DestinationDownException;
import io.posthorn.PosthornException;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One batch on its way to a broker. The thread that runs it sends everything itself; the sender's
 * threads only hand in answers, since a send may block.
 */
final class Sending {
  /**
   * After this time nothing more is sent of a batch, so that what was confirmed is settled: a key
   * with many messages would keep the others waiting, and after a crash they would be sent again.
   */
  static final Duration SLICE = Duration.ofMillis(500);

  /** A sender has this much longer than it says. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private final Batch<byte[]> batch;
  private final Sender sender;
  private final Ticker ticker;
  private final Map<String, Deque<Turn>> byKey = new HashMap<>();
  private final List<Deque<Turn>> lanes = new ArrayList<>();
  private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
  private final Set<Turn> underWay = new HashSet<>();
  private boolean down;

  /** Makes what is to be sent. */
  @FunctionalInterface
  interface Preparing {
    /** Null if nothing is to be sent. */
    @Nullable Outgoing prepare() throws Exception;
  }

  /** A message that goes out when those before it in its lane were confirmed. */
  private record Turn(Batch.Item<byte[]> item, Deque<Turn> lane, Preparing preparing) {
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  /**
   * @param failure null if the broker has confirmed
   */
  private record Answer(Turn turn, @Nullable Throwable failure) {}

  Sending(Batch<byte[]> batch, Sender sender, Ticker ticker) {
    this.batch = batch;
    this.sender = sender;
    this.ticker = ticker;
  }

  void add(Batch.Item<byte[]> item, Preparing preparing) {
    String key = item.delivery().key();
    Deque<Turn> lane = key == null ? newLane() : byKey.computeIfAbsent(key, any -> newLane());
    lane.add(new Turn(item, lane, preparing));
  }

  private Deque<Turn> newLane() {
    Deque<Turn> lane = new ArrayDeque<>(1);
    lanes.add(lane);
    return lane;
  }

  /** Sends all, or leaves what cannot be sent in time, and waits for the answers. */
  void run() throws InterruptedException {
    long end = ticker.nanos() + SLICE.toNanos();
    try {
      for (Deque<Turn> lane : lanes) {
        sendNext(lane, end);
      }
      while (!underWay.isEmpty()) {
        Answer answer =
            answers.poll(sender.timeout().plus(GRACE).toMillis(), TimeUnit.MILLISECONDS);
        if (answer == null) {
          noAnswer();
        } else {
          take(answer, end);
        }
      }
    } finally {
      lanes.forEach(lane -> lane.forEach(turn -> batch.leave(turn.item)));
    }
  }

  private void take(Answer answer, long end) {
    Turn turn = answer.turn;
    underWay.remove(turn);
    if (answer.failure == null) {
      batch.decide(turn.item, DeliveryResult.delivered());
      sendNext(turn.lane, end);
    } else {
      failed(turn, answer.failure);
    }
  }

  /** Sends the first of a lane that is to be sent at all. */
  private void sendNext(Deque<Turn> lane, long end) {
    while (!lane.isEmpty() && mayGoOn(lane.element(), end)) {
      Turn turn = lane.remove();
      try {
        Outgoing message = turn.preparing.prepare();
        if (message != null) {
          send(turn, message);
          return;
        }
        batch.decide(turn.item, DeliveryResult.ignored());
      } catch (Exception e) { // the routes are the user's code, and so may the sender be
        failed(turn, e);
        return;
      }
    }
  }

  private boolean mayGoOn(Turn turn, long end) {
    return !down && ticker.nanos() - end < 0 && batch.owned(turn.item);
  }

  private void send(Turn turn, Outgoing message) {
    underWay.add(turn);
    try {
      sender.send(message).whenComplete((any, failure) -> answers.add(new Answer(turn, failure)));
    } catch (RuntimeException e) {
      underWay.remove(turn);
      throw e;
    }
  }

  /** The rest of its lane is left. */
  private void failed(Turn turn, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    down |= cause instanceof DestinationDownException;
    batch.fail(
        turn.item,
        cause instanceof Exception exception
            ? exception
            : new PosthornException("the sender failed", cause));
  }

  private void noAnswer() {
    for (Turn turn : List.copyOf(underWay)) {
      underWay.remove(turn);
      failed(
          turn,
          new DestinationDownException(
              "no answer from %s within its timeout of %d s"
                  .formatted(sender.getClass().getName(), sender.timeout().toSeconds()),
              null));
    }
  }
}
