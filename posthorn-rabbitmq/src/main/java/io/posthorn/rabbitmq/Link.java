/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.posthorn.DestinationDownException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
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
 * to an exchange, which may be missing or closed to this user, and large ones.
 */
final class Link {
  /** A broker that takes less than this at once would be unusual. */
  private static final int LARGE_BYTES = 256 * 1024;

  /** Then the next one takes another channel: a queue may confirm nothing for a long time. */
  private static final Duration ALONE_LIMIT = Duration.ofSeconds(1);

  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  private final Connection connection;
  private final Consumer<List<Pending>> suspects;
  private final Set<String> provenExchanges = new HashSet<>();
  private final Set<ConfirmedChannel> channels = ConcurrentHashMap.newKeySet();
  private final List<ConfirmedChannel> singles = new ArrayList<>();
  private final BlockedListener blockedListener;
  private @Nullable ConfirmedChannel common;
  private volatile @Nullable String blocked;
  private volatile boolean givenUp;

  private Link(Connection connection, Consumer<List<Pending>> suspects) {
    this.connection = connection;
    this.suspects = suspects;
    this.blockedListener =
        connection.addBlockedListener(reason -> blocked = reason, () -> blocked = null);
  }

  /**
   * @param suspects gets those of which one has closed its channel
   */
  static Link over(Connection connection, Consumer<List<Pending>> suspects) {
    return new Link(connection, suspects);
  }

  boolean isOpen() {
    return !givenUp && connection.isOpen();
  }

  /** Why the broker reads nothing at present: it is short of memory or disk. On any thread. */
  @Nullable String blocked() {
    return blocked;
  }

  void publish(Pending pending) throws IOException, InterruptedException {
    AmqpMessage message = pending.message();
    boolean proven = provenExchanges.contains(message.exchange());
    if (proven && !pending.suspect() && message.body().length < LARGE_BYTES) {
      publishWithOthers(pending);
    } else if (publishAlone(pending)) {
      provenExchanges.add(message.exchange());
    }
  }

  private void publishWithOthers(Pending pending) throws IOException, InterruptedException {
    ConfirmedChannel channel = common == null ? openChannel() : common;
    common = channel;
    if (!channel.publish(pending)) {
      common = null;
      provenExchanges.clear(); // one of them may be gone
      publish(pending);
    }
  }

  /** Waits for the answer. False if it was such that the channel has ended, or none. */
  private boolean publishAlone(Pending pending) throws IOException, InterruptedException {
    ConfirmedChannel channel;
    do {
      channel = emptyChannel();
    } while (!channel.publish(pending));
    return pending.awaitAnswer(ALONE_LIMIT) && !channel.hasEnded();
  }

  private ConfirmedChannel emptyChannel() throws IOException {
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

  private ConfirmedChannel openChannel() throws IOException {
    ConfirmedChannel opened = ConfirmedChannel.open(connection, this::channelEnded);
    channels.add(opened);
    if (givenUp) {
      throw new IOException("the connection was given up");
    }
    return opened;
  }

  /** On a thread of the connection. */
  private void channelEnded(ConfirmedChannel channel, ShutdownSignalException cause) {
    channels.remove(channel);
    List<Pending> left = channel.end();
    if (cause.isHardError()) {
      blocked = null; // or nobody would try whether the broker is back
      DestinationDownException down = SendFailure.down(cause);
      left.forEach(pending -> pending.fail(down));
    } else if (left.size() == 1) {
      Pending culprit = left.get(0);
      culprit.fail(SendFailure.channelClosed(culprit.message(), cause));
    } else {
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
    int limit = Math.toIntExact(CLOSE_LIMIT.toMillis());
    return Threads.start(
        "posthorn-rabbitmq-close",
        () -> {
          connection.removeBlockedListener(blockedListener); // the connection may outlive it
          connection.abort(limit);
        });
  }
}
