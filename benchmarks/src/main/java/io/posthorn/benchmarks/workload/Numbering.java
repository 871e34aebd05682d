/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import io.posthorn.benchmarks.subject.Order;

/**
 * Which numbers and keys each writer uses. A key belongs to one writer, as if writers locked their
 * aggregate: so the order of commits within a key is the order of numbers.
 */
record Numbering(int writers) {

  long number(int writer, long turn) {
    return turn * writers + writer;
  }

  int key(long number) {
    int writer = (int) (number % writers);
    long turn = number / writers;
    int keys = (Order.KEYS - writer + writers - 1) / writers;
    return writer + writers * (int) (turn % keys);
  }

  Order order(int writer, long turn) {
    long number = number(writer, turn);
    return Order.of(number, key(number));
  }
}
