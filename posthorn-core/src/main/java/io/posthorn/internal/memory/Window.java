/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.Envelope;
import io.posthorn.spi.RelayStore.ReadRequest;

/**
 * Bounds what is in memory, by number and by bytes (payloads and headers). Guarded by the memory's
 * lock.
 */
final class Window {
  private final int maxMessages;
  private final long maxBytes;
  private int messages;
  private long bytes;

  /** One message in memory. It counts once, however many handlers still need it. */
  static final class Claim {
    private final int size;
    private int users = 1;

    private Claim(int size) {
      this.size = size;
    }

    /** One handler more needs the message. */
    void share() {
      users++;
    }
  }

  Window(int maxMessages, long maxBytes) {
    this.maxMessages = maxMessages;
    this.maxBytes = maxBytes;
  }

  Claim claim(Envelope envelope) {
    Claim claim = new Claim(ReadRequest.ROW_OVERHEAD_BYTES + envelope.bytes());
    messages++;
    bytes += claim.size;
    return claim;
  }

  /** One handler less needs the message. */
  void release(Claim claim) {
    claim.users--;
    if (claim.users == 0) {
      messages--;
      bytes -= claim.size;
    }
  }

  void clear() {
    messages = 0;
    bytes = 0;
  }

  int messages() {
    return messages;
  }

  long bytes() {
    return bytes;
  }

  int maxMessages() {
    return maxMessages;
  }

  int freeMessages() {
    return Math.max(0, maxMessages - messages);
  }

  long freeBytes() {
    return Math.max(0, maxBytes - bytes);
  }

  boolean isFull() {
    return messages >= maxMessages || bytes >= maxBytes;
  }

  /** Whether reading is worth while again after it was full. */
  boolean isRoomy() {
    return freeMessages() >= maxMessages / 4 && freeBytes() >= maxBytes / 4;
  }
}
