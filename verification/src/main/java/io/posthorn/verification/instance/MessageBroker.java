/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.Delivery;
import io.posthorn.spi.Sender;
import java.util.List;

/** What the relay sends to, and consumers take from. */
interface MessageBroker {
  /** Topics or exchanges. */
  List<String> DESTINATIONS = List.of("chaos-1", "chaos-2", "chaos-3");

  /** It gives up sooner than outages end. */
  Sender sender();

  /** All messages of all destinations, for one consumer of whom each instance has one. */
  Subscription subscribe(String consumer) throws Exception;

  /** Used by one thread. */
  interface Subscription extends AutoCloseable {
    /** The ids of the next messages, in order; may wait a little. */
    List<String> poll() throws Exception;

    /** What was polled so far has been dealt with. */
    void acknowledge() throws Exception;

    @Override
    void close();
  }

  /** The broker at an address, as the fleet has written it. */
  static MessageBroker at(String address) {
    return address.startsWith("amqp:") ? new RabbitBroker(address) : new KafkaBroker(address);
  }

  /** The topic or exchange of a message: one for each key. */
  static String destination(Delivery delivery) {
    String key = delivery.key();
    int hash = key == null ? delivery.messageId().hashCode() : key.hashCode();
    return DESTINATIONS.get(Math.floorMod(hash, DESTINATIONS.size()));
  }
}
