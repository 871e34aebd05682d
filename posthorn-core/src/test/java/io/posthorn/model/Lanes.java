/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

/**
 * How messages are numbered: every partition has one lane, and room for two messages in it. Sets of
 * messages are bit masks.
 */
final class Lanes {

  private static final int ROOM = 2;

  private Lanes() {}

  static int message(int partition, int seq) {
    return partition * ROOM + seq;
  }

  static int partitionOf(int message) {
    return message / ROOM;
  }

  static int seqOf(int message) {
    return message % ROOM;
  }

  /** How many numbers the messages of so many partitions take. */
  static int room(int partitions) {
    return partitions * ROOM;
  }

  /** All messages of a partition. */
  static int allOf(int partition) {
    return ((1 << ROOM) - 1) << (partition * ROOM);
  }

  /** The messages of the same lane that come before this one. */
  static int before(int message) {
    return allOf(partitionOf(message)) & ((1 << message) - 1);
  }

  /** This message and those of the same lane that come after it. */
  static int from(int message) {
    return allOf(partitionOf(message)) & -(1 << message);
  }

  static String nameOf(int message) {
    return "%d of partition %d".formatted(seqOf(message) + 1, partitionOf(message));
  }
}
