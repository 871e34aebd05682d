/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

/**
 * A channel on which the broker confirms what it is sent, and what is under way on it. One thread
 * publishes; the connection's thread hands in the answers.
 *
 * <p>Both sides count what is published, and the numbers are all that a confirm says. So the count
 * here is its own: the client's also grows with messages that it could not write.
 */
final class ConfirmedChannel {
  private final Channel channel;
  private final ReentrantLock lock = new ReentrantLock();
  private final NavigableMap<Long, Pending> underWay = new TreeMap<>(); // guarded by lock
  private boolean ended; // guarded by lock
  private long published; // publishing thread only

  private ConfirmedChannel(Channel channel) {
    this.channel = channel;
  }

  /**
   * @param onAnswer told of every answer
   * @param onClose told when it is closed, by whomever; there may still be something under way
   */
  static ConfirmedChannel over(
      Channel channel,
      Runnable onAnswer,
      BiConsumer<ConfirmedChannel, ShutdownSignalException> onClose)
      throws IOException {
    ConfirmedChannel opened = new ConfirmedChannel(channel);
    channel.confirmSelect();
    channel.addConfirmListener(
        (number, andBefore) -> {
          onAnswer.run();
          opened.take(number, andBefore).forEach(Pending::confirm);
        },
        (number, andBefore) -> {
          onAnswer.run();
          opened.take(number, andBefore).forEach(Pending::rejected);
        });
    channel.addReturnListener(opened::takeBack);
    channel.addShutdownListener(cause -> onClose.accept(opened, cause));
    return opened;
  }

  /** False if it has ended before; then nothing was done. */
  boolean publish(Pending pending) throws IOException {
    AmqpMessage message = pending.message();
    long number = published + 1;
    if (!register(number, pending)) {
      return false;
    }
    try {
      channel.basicPublish(
          message.exchange(), message.routingKey(), true, message.properties(), message.body());
      published = number;
    } catch (IllegalArgumentException e) { // thrown before anything is written
      take(number, false);
      pending.fail(SendFailure.notExpressible(message, e));
    } catch (AlreadyClosedException e) {
      // It belongs to what was under way when the channel ended, or is about to.
      published = number;
    }
    return true;
  }

  /**
   * Takes these out, if they are under way here. If nothing else is, that is the end of it: what
   * the broker says about them later must not be taken for an answer about others.
   *
   * @return whether it has ended by that
   */
  boolean forget(Set<Pending> some) {
    lock.lock();
    try {
      boolean emptied = underWay.values().removeAll(some) && underWay.isEmpty();
      ended |= emptied;
      return emptied;
    } finally {
      lock.unlock();
    }
  }

  /** Closes it without waiting. */
  void abandon() {
    Threads.start("posthorn-rabbitmq-close-channel", this::abort);
  }

  private void abort() {
    try {
      channel.abort();
    } catch (IOException | RuntimeException e) {
      // it is of no more use anyway
    }
  }

  private boolean register(long number, Pending pending) {
    lock.lock();
    try {
      if (!ended) {
        underWay.put(number, pending);
      }
      return !ended;
    } finally {
      lock.unlock();
    }
  }

  boolean hasEnded() {
    lock.lock();
    try {
      return ended;
    } finally {
      lock.unlock();
    }
  }

  boolean isEmpty() {
    lock.lock();
    try {
      return underWay.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private List<Pending> take(long number, boolean andBefore) {
    lock.lock();
    try {
      NavigableMap<Long, Pending> answered =
          underWay.subMap(andBefore ? 0 : number, true, number, true);
      List<Pending> taken = List.copyOf(answered.values());
      answered.clear();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** It will be confirmed like any other. Of several that are alike, all come back. */
  private void takeBack(Return returned) {
    lock.lock();
    try {
      underWay.values().stream()
          .filter(
              pending ->
                  pending.matches(
                      returned.getExchange(),
                      returned.getRoutingKey(),
                      returned.getProperties().getMessageId()))
          .findFirst()
          .ifPresent(pending -> pending.cameBack(returned.getReplyText()));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns what has no answer, in the order of publishing. Whatever the broker, or a recovery of
   * the connection, says later is not listened to.
   */
  List<Pending> end() {
    lock.lock();
    try {
      ended = true;
      List<Pending> left = List.copyOf(underWay.values());
      underWay.clear();
      return left;
    } finally {
      lock.unlock();
    }
  }
}
