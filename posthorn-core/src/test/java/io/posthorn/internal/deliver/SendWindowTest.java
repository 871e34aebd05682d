/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SendWindowTest {
  private static final long LONG = Duration.ofMinutes(5).toNanos();

  private final SendWindow relay = new SendWindow(120, 12_000);
  private final SendWindow.Destinations window = relay.destinations();

  private int fill(String destination, long bytes) {
    int sent = 0;
    while (window.reserve(destination, bytes)) {
      sent++;
    }
    return sent;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void silentDestinationsLeaveOneShareFree(int silent) {
    int taken = 0;
    int round = 1;
    while (round > 0) { // in turns, as messages to several destinations come
      round = 0;
      for (int i = 0; i < silent; i++) {
        round += window.reserve("silent-" + i, 1) ? 1 : 0;
      }
      taken += round;
    }

    assertThat(120 - taken).isBetween(120 / (silent + 1) - 1, 120 / (silent + 1) + 1);
    assertThat(window.reserve("another", 1)).isTrue();
  }

  @Test
  void bytesAreBoundedLikeMessages() {
    assertThat(fill("a", 1_000)).isEqualTo(6);
    assertThat(fill("b", 1_000)).isEqualTo(3);
  }

  @Test
  void oneMessageMayAlwaysBeInFlight() {
    assertThat(window.reserve("a", 50_000)).isTrue();
    assertThat(window.reserve("a", 1)).isFalse();
    assertThat(window.reserve("b", 50_000)).isTrue();
  }

  @Test
  void silentDestinationsOfOtherHandlersCountAsWell() {
    SendWindow.Destinations other = relay.destinations();
    int taken = 0;
    while (other.reserve("a", 1)) {
      taken++;
    }

    assertThat(taken).isEqualTo(60);
    assertThat(fill("a", 1)).isEqualTo(30);
    assertThat(window.messages("a")).isEqualTo(30);
  }

  @Test
  void aLargeMessageIsNotHeldBackBySmallOnes() {
    window.reserve("a", 1);

    assertThat(window.reserve("a", 50_000)).isTrue();
    assertThat(window.reserve("a", 1)).isFalse();
  }

  @Test
  void whatIsReleasedCanBeTakenAgain() {
    int all = fill("a", 100);
    assertThat(window.messages("a")).isEqualTo(all);
    window.release("a", all, 100L * all);

    assertThat(window.messages("a")).isZero();
    assertThat(fill("a", 100)).isEqualTo(all);
  }

  @Test
  void whatWasNotTakenCannotBeReleased() {
    window.reserve("a", 1);

    assertThatThrownBy(() -> window.release("a", 2, 2))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("2 messages to \"a\"");
    assertThatThrownBy(() -> window.release("b", 1, 1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  @Timeout(60)
  void aThreadThatWaitsIsWokenWhenThereIsRoomForMany() throws Exception {
    int all = fill("a", 1);
    Thread waiting = new Thread(() -> waitForRoom("a"));
    waiting.start();
    while (waiting.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    window.release("a", all / 2, all / 2);

    waiting.join();
  }

  private void waitForRoom(String destination) {
    try {
      window.awaitRoom(destination, LONG);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @Timeout(60)
  void waitingEndsWithItsTime() throws Exception {
    fill("a", 1);
    window.awaitRoom("a", Duration.ofMillis(1).toNanos());

    assertThat(window.reserve("a", 1)).isFalse();
  }
}
