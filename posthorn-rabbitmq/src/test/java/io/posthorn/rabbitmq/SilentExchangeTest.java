/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import static io.posthorn.rabbitmq.Sendings.large;
import static io.posthorn.rabbitmq.Sendings.outcome;
import static io.posthorn.rabbitmq.Sendings.small;
import static io.posthorn.rabbitmq.Sendings.unavailable;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.posthorn.spi.Outgoing;
import io.posthorn.test.MutableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Other exchanges notice nothing of one that confirms nothing. Time stands still unless a test
 * moves it, so that whatever is answered did not wait for a timeout.
 */
@Timeout(120)
class SilentExchangeTest {
  private static final Duration TIMEOUT = Duration.ofMillis(500);

  /** More than may be under way alone, and a second for each would be more than a test waits. */
  private static final int MANY = 64;

  private final Exchange silent = Exchange.create();
  private final Exchange healthy = Exchange.create();
  private final Set<String> silenced = ConcurrentHashMap.newKeySet();
  private final MutableClock clock = new MutableClock();
  private final ConnectionFactory factory = Exchange.factory();
  private final AtomicInteger connections = new AtomicInteger();
  private final RabbitSender sender = RabbitSender.using(this::connection, TIMEOUT, clock.ticker());

  private Connection connection() throws Exception {
    connections.incrementAndGet();
    return InterceptedChannels.silenced(factory.newConnection(), silenced);
  }

  @AfterEach
  void close() {
    sender.close();
  }

  private List<CompletionStage<?>> sendMany(Outgoing first) {
    List<CompletionStage<?>> sent = new ArrayList<>();
    sent.add(sender.send(first));
    for (int i = 1; i < MANY; i++) {
      sent.add(
          sender.send(
              first.payload().length > 1
                  ? large(first.destination())
                  : small(first.destination())));
    }
    return sent;
  }

  /** What is sent to the silent exchange fails, and is sent when it confirms again. */
  private void assertUnavailableAndBackLater(List<CompletionStage<?>> unanswered) throws Exception {
    assertThat(unanswered).noneMatch(sending -> sending.toCompletableFuture().isDone());
    clock.advance(TIMEOUT.dividedBy(2));
    assertThat(outcome(sender.send(small(healthy.name())))).isNull();
    clock.advance(TIMEOUT.dividedBy(2));
    for (CompletionStage<?> sending : unanswered) {
      assertThat(outcome(sending)).satisfies(unavailable(silent.name()));
    }
    silenced.clear();
    assertThat(outcome(sender.send(large(silent.name())))).isNull();
    assertThat(outcome(sender.send(small(silent.name())))).isNull();
    assertThat(connections).hasValue(1);
  }

  @Test
  void largeMessagesToAnExchangeThatFallsSilentHoldUpNoOthers() throws Exception {
    assertThat(outcome(sender.send(small(silent.name())))).isNull();
    silenced.add(silent.name());

    List<CompletionStage<?>> unanswered = sendMany(large(silent.name()));

    assertThat(outcome(sender.send(large(healthy.name())))).isNull();
    assertThat(outcome(sender.send(small(healthy.name())))).isNull();
    assertUnavailableAndBackLater(unanswered);
  }

  @Test
  void whatWasUnderWayToASilentExchangeWhenTheChannelWasClosedHoldsUpNoOthers() throws Exception {
    Exchange gone = Exchange.create();
    for (Exchange each : List.of(silent, healthy, gone)) {
      assertThat(outcome(sender.send(small(each.name())))).isNull();
    }
    Exchange.run(channel -> channel.exchangeDelete(gone.name()));
    silenced.add(silent.name());

    List<CompletionStage<?>> unanswered = sendMany(small(silent.name()));
    CompletionStage<?> other = sender.send(small(healthy.name()));
    CompletionStage<?> culprit = sender.send(small(gone.name()));

    assertThat(outcome(other)).isNull();
    assertThat(outcome(culprit)).satisfies(unavailable(gone.name()));
    assertUnavailableAndBackLater(unanswered);
  }

  /** The first one has a channel for itself, the second one is that of the healthy exchange. */
  @Test
  void anExchangeForWhichNoChannelIsLeftIsUnavailableAndTheConnectionIsKept() throws Exception {
    factory.setRequestedChannelMax(2);
    silenced.add(silent.name());
    CompletionStage<?> unanswered = sender.send(small(silent.name()));
    assertThat(outcome(sender.send(small(healthy.name())))).isNull();
    silenced.add(healthy.name());
    CompletionStage<?> alone = sender.send(large(healthy.name()));

    assertThat(outcome(sender.send(small("any"))))
        .satisfies(unavailable("any"))
        .hasMessageContaining("no channel is left");
    assertThat(List.of(unanswered, alone))
        .noneMatch(sending -> sending.toCompletableFuture().isDone());
    assertThat(connections).hasValue(1);
  }

  @Test
  void aMissingExchangeShowsThatTheBrokerAnswersASilentOne() throws Exception {
    assertThat(outcome(sender.send(small(healthy.name())))).isNull();
    silenced.add(silent.name());
    CompletionStage<?> unanswered = sender.send(small(silent.name()));
    clock.advance(TIMEOUT.dividedBy(2));
    assertThat(outcome(sender.send(small("no-such-exchange"))))
        .satisfies(unavailable("no-such-exchange"));
    clock.advance(TIMEOUT.dividedBy(2));

    assertThat(outcome(unanswered)).satisfies(unavailable(silent.name()));
    assertThat(outcome(sender.send(small(healthy.name())))).isNull();
    assertThat(connections).hasValue(1);
  }
}
