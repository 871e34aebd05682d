/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.StoredMessage;
import java.util.IdentityHashMap;

/** Bounds what is in memory, by number and by bytes. Guarded by the workload's lock. */
final class Window {
  private static final int OVERHEAD_BYTES = 512;

  private final int maxMessages;
  private final long maxBytes;
  private final IdentityHashMap<StoredMessage, Integer> moreUsers = new IdentityHashMap<>();
  private int messages;
  private long bytes;
  private long averageBytes = OVERHEAD_BYTES;

  Window(int maxMessages, long maxBytes) {
    this.maxMessages = maxMessages;
    this.maxBytes = maxBytes;
  }

  void add(StoredMessage message) {
    long size = size(message);
    messages++;
    bytes += size;
    averageBytes = Math.max(OVERHEAD_BYTES, (averageBytes * 15 + size) / 16);
  }

  /** A message that is in memory has one user more; it still counts once. */
  void share(StoredMessage message) {
    moreUsers.merge(message, 1, Integer::sum);
  }

  void remove(StoredMessage message) {
    if (!moreUsers.isEmpty() && moreUsers.containsKey(message)) {
      moreUsers.computeIfPresent(message, (same, users) -> users == 1 ? null : users - 1);
      return;
    }
    messages--;
    bytes -= size(message);
  }

  void clear() {
    moreUsers.clear();
    messages = 0;
    bytes = 0;
  }

  int messages() {
    return messages;
  }

  int maxMessages() {
    return maxMessages;
  }

  /** How many messages may be read now, if they are as large as the last ones. */
  int free() {
    long byBytes = (maxBytes - bytes) / averageBytes;
    return (int) Math.max(0, Math.min(maxMessages - messages, byBytes));
  }

  private static long size(StoredMessage message) {
    return (long) OVERHEAD_BYTES + message.envelope().payloadBytes();
  }
}
