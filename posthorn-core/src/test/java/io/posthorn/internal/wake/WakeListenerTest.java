/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.wake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.spi.StoreException;
import io.posthorn.spi.WakeChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WakeListenerTest {
  private final Channel channel = new Channel();
  private final List<BitSet> messages = new ArrayList<>();
  private long nanos;
  private boolean joined = true;
  private final WakeListener listener =
      new WakeListener(
          "a", channel, () -> nanos, () -> joined, messages::add, partitions -> {}, () -> {});

  @Test
  void takesNoConnectionBeforeTheRelayHasJoined() {
    joined = false;
    listener.runOnce();
    assertThat(channel.looks).isZero();

    joined = true;
    listener.runOnce();
    assertThat(channel.looks).isEqualTo(1);
  }

  @Test
  void goesOnListeningWhileTheLeaseIsInDoubt() {
    listener.runOnce();
    joined = false;
    listener.runOnce();
    assertThat(channel.looks).isEqualTo(2);
  }

  @Test
  void hearsWhenItsOwnSignalHasComeBack() {
    listener.runOnce();
    assertThat(listener.hears()).as("nothing has come yet").isFalse();
    listener.runOnce();
    assertThat(listener.hears()).isTrue();
  }

  @Test
  void doesNotHearWhenTheChannelIsGone() {
    listener.runOnce();
    listener.runOnce();
    channel.away = true;
    assertThatThrownBy(listener::runOnce).isInstanceOf(StoreException.class);
    assertThat(listener.hears()).isFalse();
  }

  @Test
  void doesNotHearWhenItsOwnSignalStaysAway() {
    listener.runOnce();
    listener.runOnce();
    channel.deaf = true;
    nanos += TimeUnit.SECONDS.toNanos(31);
    listener.runOnce(); // asks again
    nanos += TimeUnit.SECONDS.toNanos(6);
    listener.runOnce();
    assertThat(listener.hears()).isFalse();
  }

  @Test
  void takesPartitionsAndPassesOverWhatIsNone() {
    listener.runOnce();
    messages.clear();
    channel.waiting.add("m:3,70000,x,,5");
    listener.runOnce();

    assertThat(messages).hasSize(1);
    assertThat(messages.get(0).get(3)).isTrue();
    assertThat(messages.get(0).get(5)).isTrue();
    assertThat(messages.get(0).length()).isLessThanOrEqualTo(1 << Short.SIZE);
  }

  /** Gives everybody's signals back, as the database does. */
  private static final class Channel implements WakeChannel {
    final List<String> waiting = new ArrayList<>();
    int looks;
    boolean away;
    boolean deaf;

    @Override
    public void send(String signal) {
      if (!deaf) {
        waiting.add(signal);
      }
    }

    @Override
    public List<String> receive(Duration timeout) {
      looks++;
      if (away) {
        throw StoreException.unavailable("away", null);
      }
      List<String> signals = List.copyOf(waiting);
      waiting.clear();
      return signals;
    }

    @Override
    public void close() {}
  }
}
