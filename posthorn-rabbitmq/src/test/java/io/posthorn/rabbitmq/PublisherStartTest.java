/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import static io.posthorn.rabbitmq.Sendings.outcome;
import static io.posthorn.rabbitmq.Sendings.small;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.DestinationDownException;
import io.posthorn.test.MutableClock;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sender whose threads cannot be started at first, for want of memory for example. */
@Timeout(120)
class PublisherStartTest {
  private static final Duration TIMEOUT = Duration.ofMillis(500);

  /** Asked once for each thread that this one makes. */
  private static final class ThreadLimit extends InheritableThreadLocal<String> {
    private int left;

    @Override
    protected String childValue(String parentValue) {
      if (left-- == 0) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      return parentValue;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void messagesHaveTheirTimeoutAlsoIfAThreadCouldNotBeStartedAtFirst(int started) throws Exception {
    Exchange silent = Exchange.create();
    Exchange other = Exchange.create();
    MutableClock clock = new MutableClock();
    ThreadLimit limit = new ThreadLimit();
    limit.left = started;
    try (RabbitSender sender =
        RabbitSender.using(
            () -> InterceptedChannels.silenced(Exchange.factory().newConnection(), silent.name()),
            TIMEOUT,
            clock.ticker())) {
      limit.set("");
      try {
        assertThatThrownBy(() -> sender.send(small(other.name())))
            .isInstanceOf(OutOfMemoryError.class);
      } finally {
        limit.remove();
      }

      var unanswered = sender.send(small(silent.name()));
      clock.advance(TIMEOUT);
      assertThat(outcome(unanswered)).isInstanceOf(DestinationDownException.class);
    }
    assertThat(other.read(0, Sendings.LIMIT)).as("reported as failed, and published").isEmpty();
  }
}
