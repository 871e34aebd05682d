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
import org.junit.jupiter.api.Test;

class WakerTest {
  private final Channel channel = new Channel();
  private final Waker waker = new Waker(channel);

  @Test
  void manyCommitsAreOneSignal() {
    waker.messagesIn(BitSet.valueOf(new long[] {0b0101}));
    waker.messagesIn(BitSet.valueOf(new long[] {0b1100}));
    waker.runOnce();

    assertThat(channel.sent).containsExactly("m:0,2,3");
  }

  @Test
  void whatPeopleChangeIsASignalOfItsOwn() {
    waker.deferredChanged(BitSet.valueOf(new long[] {0b0001}));
    waker.messagesIn(BitSet.valueOf(new long[] {0b0010}));
    waker.deferredChanged(BitSet.valueOf(new long[] {0b0100}));
    waker.runOnce();

    assertThat(channel.sent).containsExactlyInAnyOrder("m:1", "d:0,2");
  }

  @Test
  void signalThatCouldNotBeSentGoesWithTheNextTry() {
    channel.away = true;
    waker.messagesIn(BitSet.valueOf(new long[] {0b0001}));
    waker.leasesChanged();
    assertThatThrownBy(waker::runOnce).isInstanceOf(StoreException.class);

    channel.away = false;
    waker.messagesIn(BitSet.valueOf(new long[] {0b0010}));
    waker.runOnce();

    assertThat(channel.sent).containsExactly("m:0,1", "l");
  }

  @Test
  void whileThereIsAlwaysSomethingToTellSignalsBecomeRarer() {
    List<Duration> rests = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      waker.messagesIn(BitSet.valueOf(new long[] {0b0001}));
      rests.add(waker.runOnce().rest());
    }
    assertThat(rests).isSorted().doesNotContain(Duration.ZERO);
    assertThat(rests.get(3)).isGreaterThan(rests.get(0)).isLessThan(Duration.ofMillis(50));

    assertThat(waker.runOnce().rest()).as("nothing to tell").isZero();
    waker.messagesIn(BitSet.valueOf(new long[] {0b0001}));
    assertThat(waker.runOnce().rest()).isEqualTo(rests.get(0));
  }

  private static final class Channel implements WakeChannel {
    final List<String> sent = new ArrayList<>();
    boolean away;

    @Override
    public void send(String signal) {
      if (away) {
        throw StoreException.unavailable("away", null);
      }
      sent.add(signal);
    }

    @Override
    public List<String> receive(Duration timeout) {
      return List.of();
    }

    @Override
    public void close() {}
  }
}
