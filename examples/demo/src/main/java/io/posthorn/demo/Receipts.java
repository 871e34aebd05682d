/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What all relays have written so far, and running totals of it. For one thread. */
final class Receipts {
  private final int handlers;
  private final List<ReceiptReader> readers = new ArrayList<>();
  private final List<Receipt> delivered = new ArrayList<>();
  private final Map<UUID, Set<String>> handlersDone = new HashMap<>();
  private final Map<String, Long> doneByHandler = new HashMap<>();
  private final Set<UUID> dead = new HashSet<>();
  private final List<Receipt> circuits = new ArrayList<>();
  private long messagesDone;
  private long retries;

  /**
   * @param handlers how many have to take a message until it is delivered
   */
  Receipts(int handlers) {
    this.handlers = handlers;
  }

  void follow(ReceiptReader reader) {
    readers.add(reader);
  }

  /** Reads on. */
  void poll() {
    readers.forEach(reader -> reader.poll().forEach(this::add));
  }

  private void add(Receipt receipt) {
    switch (receipt.kind()) {
      case DELIVERED -> addDelivered(receipt);
      case RETRYING -> retries++;
      case DEAD -> dead.add(receipt.id());
      case OPENED, CLOSED -> circuits.add(receipt);
    }
  }

  private void addDelivered(Receipt receipt) {
    delivered.add(receipt);
    Set<String> done = handlersDone.computeIfAbsent(receipt.id(), id -> new HashSet<>(4));
    if (done.add(receipt.handler())) {
      doneByHandler.merge(receipt.handler(), 1L, Long::sum);
      if (done.size() == handlers) {
        messagesDone++;
        dead.remove(receipt.id());
      }
    }
  }

  /** Those of successful deliveries; of one relay in the order in which they were written. */
  List<Receipt> delivered() {
    return List.copyOf(delivered);
  }

  /** Messages that every handler has taken. */
  long messagesDone() {
    return messagesDone;
  }

  /** Messages that this handler has taken. */
  long doneBy(String handler) {
    return doneByHandler.getOrDefault(handler, 0L);
  }

  /** Which circuits were opened and closed since the last call. */
  List<Receipt> newsOfCircuits() {
    List<Receipt> news = List.copyOf(circuits);
    circuits.clear();
    return news;
  }

  long retries() {
    return retries;
  }

  /** Messages that were given up and have not been delivered since. */
  long deadLetters() {
    return dead.size();
  }
}
