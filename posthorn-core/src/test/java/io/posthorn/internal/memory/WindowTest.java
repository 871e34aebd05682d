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
}
