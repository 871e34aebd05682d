/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.PublishHook;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.MutableClock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** An outbox in memory that remembers the calls, and what was committed. */
final class PublishTestOutbox implements Outbox {
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final List<Envelope> committed = new ArrayList<>();
  private final List<Integer> callSizes = new ArrayList<>();
  private final Outbox outbox =
      Posthorn.publishOnly(new InMemoryStore(new MutableClock(), 4), transactions)
          .codec(new ToStringCodec())
          .expressions(new SpelMessageExpressions())
          .publishHook(
              new PublishHook() {
                @Override
                public void afterCommit(List<Envelope> messages) {
                  committed.addAll(messages);
                }
              })
          .build()
          .outbox();

  void run(Runnable action) {
    transactions.run(action);
  }

  /** What was committed, as text: type, key, payload. */
  List<String> published() {
    return committed.stream()
        .map(e -> e.type() + " " + e.key() + " " + new String(e.payload(), StandardCharsets.UTF_8))
        .toList();
  }

  List<Envelope> envelopes() {
    return committed;
  }

  /** How many messages each call of publishAll had. */
  List<Integer> callSizes() {
    return callSizes;
  }

  @Override
  public List<UUID> publishAll(List<Message> messages) {
    List<UUID> ids = outbox.publishAll(messages);
    callSizes.add(messages.size());
    return ids;
  }

  @Override
  public Receipt publishOnce(Message message) {
    return outbox.publishOnce(message);
  }

  @Override
  public UUID publish(Object payload) {
    return outbox.publish(payload);
  }

  /** Writes what toString says. */
  static final class ToStringCodec implements PayloadCodec {
    @Override
    public String contentType() {
      return "text/plain";
    }

    @Override
    public byte[] encode(Object payload) {
      return payload.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public <T> T decode(byte[] payload, Class<T> type) {
      throw new UnsupportedOperationException();
    }
  }
}
