/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Message numbers with the time at which something happened to them. Any thread adds; it is read
 * when those threads have ended. It costs 16 bytes an entry, so that a million fit into a small
 * heap.
 */
final class NumberLog {
  private static final int CHUNK_BITS = 14;
  private static final int CHUNK = 1 << CHUNK_BITS;
  private static final int MAX_CHUNKS = 1 << 14;

  private final AtomicInteger size = new AtomicInteger();
  private final AtomicReferenceArray<long[]> chunks = new AtomicReferenceArray<>(MAX_CHUNKS);

  void add(long number, long nanos) {
    int index = size.getAndIncrement();
    long[] chunk = chunk(index >>> CHUNK_BITS);
    int at = 2 * (index & (CHUNK - 1));
    chunk[at] = number;
    chunk[at + 1] = nanos;
  }

  private long[] chunk(int index) {
    long[] chunk = chunks.get(index);
    if (chunk != null) {
      return chunk;
    }
    long[] fresh = new long[2 * CHUNK];
    long[] other = chunks.compareAndExchange(index, null, fresh);
    return other == null ? fresh : other;
  }

  int size() {
    return size.get();
  }

  long number(int index) {
    return chunk(index >>> CHUNK_BITS)[2 * (index & (CHUNK - 1))];
  }

  long nanos(int index) {
    return chunk(index >>> CHUNK_BITS)[2 * (index & (CHUNK - 1)) + 1];
  }

  void addAll(NumberLog other) {
    for (int i = 0; i < other.size(); i++) {
      add(other.number(i), other.nanos(i));
    }
  }

  void writeTo(DataOutputStream output) throws IOException {
    output.writeInt(size());
    for (int i = 0; i < size(); i++) {
      output.writeLong(number(i));
      output.writeLong(nanos(i));
    }
  }

  static NumberLog readFrom(DataInputStream input) throws IOException {
    NumberLog log = new NumberLog();
    int size = input.readInt();
    for (int i = 0; i < size; i++) {
      log.add(input.readLong(), input.readLong());
    }
    return log;
  }
}
