/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.posthorn.DestinationDownException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One connection. Used by the publishing thread, but for what says otherwise.
 *
 * <p>A broker closes the channel on which it does not like a message, and does not say which one it
 * was; what else is under way there gets no answer. If one message was under way, it was that one.
 * Otherwise each of them is sent again, alone on a second channel. No key changes its order by that,
 * since never two messages of one key are under way; but one that the broker had taken and not yet
 * confirmed arrives twice. The common case, an exchange that does not exist, is therefore asked for
 * before the first message to it.
 */
final class Link {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  private final Connection connection;
  private final Consumer<List<Pending>> suspects;
  private final Set<String> exchanges = new HashSet<>();
  private volatile @Nullable ConfirmedChannel common;
  private volatile @Nullable ConfirmedChannel single;
  private volatile @Nullable String blocked;
  private volatile boolean givenUp;

  /**
   * @param suspects gets those of which one has closed its channel
   */
  Link(Connection connection, Consumer<List<Pending>> suspects) {
    this.connection = connection;
    this.suspects = suspects;
  }

  /** To be called once. */
  void open() throws IOException {
    connection.addBlockedListener(reason -> blocked = reason, () -> blocked = null);
    common = openChannel();
  }

  private ConfirmedChannel openChannel() throws IOException {
    exchanges.clear(); // one of them may be gone
    return ConfirmedChannel.open(connection, this::channelEnded);
  }

  boolean isOpen() {
    return !givenUp && connection.isOpen();
  }

  /** Why the broker reads nothing at present: it is short of memory or disk. On any thread. */
  @Nullable String blocked() {
    return blocked;
  }

  void publish(Pending pending) throws IOException {
    common = publishOn(common, pending);
  }

  /** With nothing else on its channel; waits for the answer. */
  void publishAlone(Pending pending) throws IOException, InterruptedException {
    single = publishOn(single, pending);
    pending.await();
  }

  /** Returns the channel, or another one if it has ended. */
  private ConfirmedChannel publishOn(@Nullable ConfirmedChannel given, Pending pending)
      throws IOException {
    ConfirmedChannel channel = given;
    do {
      if (channel == null || channel.hasEnded()) {
        channel = openChannel();
      }
      if (!exists(pending.message().exchange())) {
        pending.fail(SendFailure.noExchange(pending.message()));
        return channel;
      }
    } while (!channel.publish(pending));
    return channel;
  }

  private boolean exists(String exchange) throws IOException {
    if (exchange.isEmpty() || exchanges.contains(exchange)) {
      return true;
    }
    Channel asking =
        connection
            .openChannel()
            .orElseThrow(() -> new IOException("the connection has no channel left"));
    try {
      asking.exchangeDeclarePassive(exchange);
      exchanges.add(exchange);
      return true;
    } catch (IOException e) {
      // An answer that is no answer to the question: the message will get its own.
      return SendFailure.closing(e.getCause())
              .orElseThrow(() -> e)
              .getReplyCode()
          != AMQP.NOT_FOUND;
    } finally {
      if (asking.isOpen()) {
        asking.abort();
      }
    }
  }

  /** On a thread of the connection. */
  private void channelEnded(List<Pending> left, ShutdownSignalException cause) {
    if (left.isEmpty()) {
      return;
    }
    if (cause.isHardError()) {
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
    Stream.of(Optional.ofNullable(common), Optional.ofNullable(single))
        .flatMap(Optional::stream)
        .flatMap(channel -> channel.end().stream())
        .forEach(pending -> pending.fail(down));
    int limit = Math.toIntExact(CLOSE_LIMIT.toMillis());
    return Threads.start("posthorn-rabbitmq-close", () -> connection.abort(limit));
  }
}
