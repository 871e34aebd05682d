/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.Envelope;
import io.posthorn.spi.RelayStore.ReadRequest;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class WindowTest {
  private static final int OVERHEAD = ReadRequest.ROW_OVERHEAD_BYTES;

  private final Window window = new Window(4, 10_000);

  private static Envelope envelope(int payload, Map<String, String> headers) {
    return new Envelope(
        new UUID(0, 1),
        "t",
        null,
        null,
        null,
        headers,
        "text/plain",
        new byte[payload],
        Instant.EPOCH,
        null);
  }

  @Test
  void payloadsAndHeadersCount() {
    window.claim(envelope(100, Map.of("note", "x".repeat(50))));
    assertThat(window.bytes()).isEqualTo(OVERHEAD + 100 + 4 + 50);
    assertThat(window.messages()).isEqualTo(1);
  }

  @Test
  void aMessageThatSeveralHandlersNeedCountsOnceUntilAllAreDone() {
    Window.Claim claim = window.claim(envelope(100, Map.of()));
    claim.share();
    window.release(claim);
    assertThat(window.messages()).isEqualTo(1);
    window.release(claim);
    assertThat(window.messages()).isZero();
    assertThat(window.bytes()).isZero();
  }

  @Test
  void itIsFullByMessagesOrBytes() {
    assertThat(window.isFull()).isFalse();
    Window.Claim large = window.claim(envelope(20_000, Map.of()));
    assertThat(window.isFull()).as("one message may be larger than all").isTrue();
    assertThat(window.freeBytes()).isZero();
    window.release(large);
    for (int i = 0; i < 4; i++) {
      window.claim(envelope(0, Map.of()));
    }
    assertThat(window.isFull()).isTrue();
    assertThat(window.freeMessages()).isZero();
  }

  @Test
  void readingIsWorthWhileAgainWhenAQuarterIsFree() {
    Window.Claim[] claims = new Window.Claim[4];
    for (int i = 0; i < 4; i++) {
      claims[i] = window.claim(envelope(0, Map.of()));
    }
    assertThat(window.isRoomy()).isFalse();
    window.release(claims[0]);
    assertThat(window.isRoomy()).isTrue();
    window.claim(envelope(6_500, Map.of())); // with the others 2,052 of 10,000 are free
    window.release(claims[1]);
    assertThat(window.freeBytes()).isEqualTo(10_000 - 6_500 - 3 * OVERHEAD);
    assertThat(window.isRoomy()).as("less than a quarter of the bytes").isFalse();
  }

  @Test
  void whatHasBeenSentDoesNotCountWhenRoomIsJudged() {
    Window.Claim[] claims = new Window.Claim[4];
    for (int i = 0; i < 4; i++) {
      claims[i] = window.claim(envelope(1_400, Map.of()));
    }
    assertThat(window.unsentMessages()).isEqualTo(4);
    window.sent(claims[0], 1);
    assertThat(window.unsentMessages()).isEqualTo(3);
    assertThat(window.isRoomy()).as("it needs a quarter of what is left, and bytes").isTrue();
    window.sent(claims[0], 1);
    assertThat(window.unsentMessages()).as("by another handler too").isEqualTo(3);
    window.sent(claims[0], -1);
    assertThat(window.unsentMessages()).isEqualTo(3);
    window.sent(claims[0], -1);
    assertThat(window.unsentMessages()).isEqualTo(4);
  }

  @Test
  void answersToWhatWasForgottenChangeNothing() {
    Window.Claim claim = window.claim(envelope(1_400, Map.of()));
    window.sent(claim, 1);
    window.clear();
    assertThat(window.messages()).isZero();
    assertThat(window.bytes()).isZero();
    assertThat(window.unsentMessages()).isEqualTo(4);
    window.sent(claim, -1);
    assertThat(window.unsentMessages()).isEqualTo(4);
    assertThat(window.freeMessages()).isEqualTo(4);
    assertThat(window.maxMessages()).isEqualTo(4);
  }

  @Test
  void itIsFullWhenJustAllBytesAreTaken() {
    Window exact = new Window(4, OVERHEAD + 100);
    Window.Claim claim = exact.claim(envelope(99, Map.of()));
    assertThat(exact.isFull()).isFalse();
    exact.release(claim);
    exact.claim(envelope(100, Map.of()));
    assertThat(exact.isFull()).isTrue();
  }

  @Test
  void aQuarterOfTheBytesIsEnough() {
    Window exact = new Window(100, 4_000);
    exact.claim(envelope(3_000 - OVERHEAD, Map.of()));
    assertThat(exact.isRoomy()).isTrue();
    exact.claim(envelope(1, Map.of()));
    assertThat(exact.isRoomy()).isFalse();
  }

  @Test
  void bytesThatWereSentAndAnsweredCountAgain() {
    Window exact = new Window(100, 4_000);
    Window.Claim claim = exact.claim(envelope(3_200 - OVERHEAD, Map.of()));
    assertThat(exact.isRoomy()).isFalse();
    exact.sent(claim, 1);
    assertThat(exact.isRoomy()).as("800 of the other 800 are free").isTrue();
    exact.sent(claim, -1);
    assertThat(exact.isRoomy()).isFalse();
  }
}
