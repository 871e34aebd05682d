/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.posthorn.DestinationDownException;
import io.posthorn.spi.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection. Used by the publishing thread, but for what says otherwise.
 *
 * <p>A broker closes the channel on which it does not like a message, and does not say which one it
 * was; what else is under way there gets no answer. If one message was under way, it was that one.
 * Otherwise each of them is sent again, alone on another channel. No key changes its order by that,
 * since never two messages of one key are under way; but one that the broker had taken and not yet
 * confirmed arrives twice. So messages of which this could be known go alone at once: the first one
 * to an exchange, which may be missing or closed to this user, and large ones. Others to that
 * exchange wait until the first one has its answer; nothing else does, least of all the publishing
 * thread.
 */
final class Link {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  private final Connection connection;
  private final Consumer<List<Pending>> suspects;
  private final Ticker ticker;
  private final Admission admission;
  private final Set<ConfirmedChannel> channels = ConcurrentHashMap.newKeySet();
  private final List<ConfirmedChannel> singles = new ArrayList<>();
  private final BlockedListener blockedListener;
  private @Nullable ConfirmedChannel common;
  private volatile @Nullable String blocked;
  private volatile boolean givenUp;
  private volatile long lastAnswer;

  /** It has as many as client and broker have agreed upon, and their messages have no answer. */
  private static final class NoChannelLeft extends Exception {
    private static final long serialVersionUID = 1L;
  }

  private Link(
      Connection connection,
      Consumer<List<Pending>> suspects,
      Consumer<List<Pending>> again,
      Ticker ticker) {
    this.connection = connection;
    this.suspects = suspects;
    this.ticker = ticker;
    this.admission = new Admission(again);
    this.lastAnswer = ticker.nanos();
    this.blockedListener =
        connection.addBlockedListener(reason -> blocked = reason, () -> blocked = null);
  }

  /**
   * @param suspects gets those of which one has closed its channel
   * @param again gets those that have waited for the answer to another one
   */
  static Link over(
      Connection connection,
      Consumer<List<Pending>> suspects,
      Consumer<List<Pending>> again,
      Ticker ticker) {
    return new Link(connection, suspects, again, ticker);
  }

  boolean isOpen() {
    return !givenUp && connection.isOpen();
  }

  /** Why the broker reads nothing at present: it is short of memory or disk. On any thread. */
  @Nullable String blocked() {
    return blocked;
  }

  /** When the broker last answered, as the ticker counts. On any thread. */
  long lastAnswer() {
    return lastAnswer;
  }

  /** Never waits for the answer about a message. */
  void publish(Pending pending) throws IOException {
    try {
      switch (admission.admit(pending)) {
        case WITH_OTHERS -> publishWithOthers(pending);
        case ALONE -> publishAlone(pending);
        case LATER -> {}
      }
    } catch (NoChannelLeft e) {
      pending.fail(SendFailure.noChannelLeft(pending.message()));
    }
  }

  private void publishWithOthers(Pending pending) throws NoChannelLeft, IOException {
    ConfirmedChannel channel = common == null ? openChannel() : common;
    common = channel;
    if (!publishOn(channel, pending)) {
      common = null;
      admission.forgetProven(); // one of them may be gone
      publish(pending);
    }
  }

  private void publishAlone(Pending pending) throws NoChannelLeft, IOException {
    ConfirmedChannel channel;
    do {
      channel = emptyChannel();
    } while (!publishOn(channel, pending));
  }

  /**
   * What the client throws by a fault of its own is a matter of this message; but it is not known
   * then what was written, so that the channel is of no more use.
   */
  private boolean publishOn(ConfirmedChannel channel, Pending pending) throws IOException {
    try {
      boolean published = channel.publish(pending);
      if (pending.answer().isDone()) {
        forget(Set.of(pending)); // it was too late when it was published
      }
      return published;
    } catch (IOException | ShutdownSignalException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      pending.fail(SendFailure.clientFailed(pending.message(), e));
      channels.remove(channel);
      List<Pending> others = new ArrayList<>(channel.end());
      others.remove(pending);
      channel.abandon();
      suspects.accept(others);
      return true;
    }
  }

  /** These got no answer in time, though others did. On any thread. */
  void noAnswer(Set<Pending> late, Duration timeout) {
    // First, so that none of them gets the turn of another one.
    admission.withdraw(late);
    // Before they are forgotten: whatever the publishing thread takes up after that has failed.
    late.forEach(pending -> pending.fail(SendFailure.noAnswer(pending.message(), timeout)));
    forget(late);
  }

  private void forget(Set<Pending> late) {
    for (ConfirmedChannel channel : List.copyOf(channels)) {
      if (channel.forget(late)) {
        channels.remove(channel);
        channel.abandon();
      }
    }
  }

  private ConfirmedChannel emptyChannel() throws NoChannelLeft, IOException {
    singles.removeIf(ConfirmedChannel::hasEnded);
    for (ConfirmedChannel channel : singles) {
      if (channel.isEmpty()) {
        return channel;
      }
    }
    ConfirmedChannel opened = openChannel();
    singles.add(opened);
    return opened;
  }

  private ConfirmedChannel openChannel() throws NoChannelLeft, IOException {
    Channel channel = connection.openChannel().orElseThrow(NoChannelLeft::new);
    ConfirmedChannel opened =
        ConfirmedChannel.over(channel, () -> lastAnswer = ticker.nanos(), this::channelEnded);
    channels.add(opened);
    if (givenUp) {
      opened.abandon(); // the connection may outlive it
      throw new IOException("the connection was given up");
    }
    return opened;
  }

  /** On a thread of the connection. */
  private void channelEnded(ConfirmedChannel channel, ShutdownSignalException cause) {
    channels.remove(channel);
    List<Pending> left = channel.end();
    if (!cause.isHardError() && !cause.isInitiatedByApplication()) {
      lastAnswer = ticker.nanos(); // a broker that closes a channel is there
    }
    if (cause.isHardError()) {
      blocked = null; // or nobody would try whether the broker is back
      DestinationDownException down = SendFailure.down(cause);
      left.forEach(pending -> pending.fail(down));
    } else if (left.isEmpty()) {
      return;
    } else if (left.size() == 1) {
      Pending culprit = left.get(0);
      culprit.fail(SendFailure.channelClosed(culprit.message(), cause));
    } else {
      admission.forgetProven(); // one of them may be gone, another one silent
      suspects.accept(left);
    }
  }

  /**
   * Ends it without waiting, also if the broker takes no more bytes; what is under way fails. On
   * any thread.
   *
   * @return closes the connection
   */
  Thread giveUp(DestinationDownException down) {
    givenUp = true;
    blocked = null;
    channels.forEach(channel -> channel.end().forEach(pending -> pending.fail(down)));
    admission.drain().forEach(pending -> pending.fail(down));
    int limit = Math.toIntExact(CLOSE_LIMIT.toMillis());
    return Threads.start(
        "posthorn-rabbitmq-close",
        () -> {
          connection.removeBlockedListener(blockedListener); // the connection may outlive it
          connection.abort(limit);
        });
  }
}
