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
  private int sentMessages;
  private long sentBytes;

  /** One message in memory. It counts once, however many handlers still need it. */
  static final class Claim {
    private final int size;
    private int users = 1;
    private int sent; // by so many handlers

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

  /** One handler more, or less, has sent the message and waits for the answer without a worker. */
  void sent(Claim claim, int more) {
    boolean before = claim.sent > 0;
    claim.sent += more;
    boolean after = claim.sent > 0;
    if (before != after) {
      // What was forgotten in between may be answered later.
      sentMessages = Math.max(0, sentMessages + (after ? 1 : -1));
      sentBytes = Math.max(0, sentBytes + (after ? claim.size : -claim.size));
    }
  }

  void clear() {
    messages = 0;
    bytes = 0;
    sentMessages = 0;
    sentBytes = 0;
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

  /** How many messages there is room for beside those that have been sent. */
  int unsentMessages() {
    return Math.max(0, maxMessages - sentMessages);
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

  /**
   * Whether reading is worth while again after it was full. What has been sent may have to wait for
   * its answers for long, and does not count.
   */
  boolean isRoomy() {
    return freeMessages() >= unsentMessages() / 4
        && freeBytes() >= Math.max(0, maxBytes - sentBytes) / 4;
  }
}
