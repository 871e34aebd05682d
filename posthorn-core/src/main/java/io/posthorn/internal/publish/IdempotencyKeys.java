/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import io.posthorn.Message;
import io.posthorn.Outbox.Receipt;
import io.posthorn.PublishException;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Finds out which messages were published before. */
final class IdempotencyKeys {
  private final MessageStore store;
  private final Duration retention;

  IdempotencyKeys(MessageStore store, Duration retention) {
    this.store = store;
    this.retention = retention;
  }

  static void require(NewMessage message) {
    if (!message.envelope().headers().containsKey(Message.IDEMPOTENCY_KEY_HEADER)) {
      throw new PublishException(
          "Message of type \"%s\" not published: publishOnce tells by the idempotency key whether it was published before, but it has none; set one, or use publish"
              .formatted(message.envelope().type()));
    }
  }

  /**
   * Takes the keys of these messages.
   *
   * @return what became of each, in the order given
   */
  List<Receipt> claim(Transaction transaction, List<NewMessage> messages) {
    List<Receipt> receipts = new ArrayList<>(messages.size());
    // In the order of the keys, or two transactions could wait for each other.
    Map<String, List<Integer>> byKey = Map.of();
    for (NewMessage message : messages) {
      String key = message.envelope().headers().get(Message.IDEMPOTENCY_KEY_HEADER);
      if (key != null) {
        byKey = byKey.isEmpty() ? new TreeMap<>() : byKey;
        byKey.computeIfAbsent(key, any -> new ArrayList<>(1)).add(receipts.size());
      }
      receipts.add(new Receipt(message.envelope().id(), false));
    }
    byKey.forEach((key, places) -> claim(transaction, key, places, receipts));
    return receipts;
  }

  /** All but the first of those with the same key are repetitions in any case. */
  private void claim(
      Transaction transaction, String key, List<Integer> places, List<Receipt> receipts) {
    int first = places.get(0);
    UUID own = receipts.get(first).id();
    UUID earlier = store.claim(transaction, key, own, retention).orElse(null);
    Receipt before = new Receipt(earlier == null ? own : earlier, true);
    if (earlier != null) {
      receipts.set(first, before);
    }
    places.subList(1, places.size()).forEach(place -> receipts.set(place, before));
  }
}
