/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.PublishException;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.MutableClock;
import io.posthorn.test.StoredRows;
import java.util.List;
import java.util.function.Consumer;

/** Publishes what is wrong, and then commits, to see that nothing of it was stored. */
final class Publishing {
  static final int LIMIT = 100;

  private final MutableClock clock = new MutableClock();
  private final InMemoryStore store = new InMemoryStore(clock, 4);
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final Posthorn posthorn;

  Publishing(Consumer<Posthorn.Builder> settings) {
    Posthorn.Builder builder =
        Posthorn.publishOnly(store, transactions)
            .clock(clock)
            .publish(p -> p.maxPayloadBytes(LIMIT));
    settings.accept(builder);
    this.posthorn = builder.build();
  }

  StoredRows rows() {
    return store.rows();
  }

  Posthorn.Builder withRelay() {
    return Posthorn.inOneProcess(store, transactions);
  }

  InMemoryTransactions transactions() {
    return transactions;
  }

  Outbox outbox() {
    return posthorn.outbox();
  }

  void accept(Message... messages) {
    transactions.run(() -> outbox().publishAll(List.of(messages)));
  }

  /** The failure of a call in a transaction that is committed all the same. */
  Throwable failure(Consumer<Outbox> call) {
    return failure(outbox(), call);
  }

  Throwable failure(Outbox outbox, Consumer<Outbox> call) {
    try (InMemoryTransactions.Open transaction = transactions.begin()) {
      Throwable failure = catchThrowable(() -> call.accept(outbox));
      assertThat(failure).as("a failure in the caller's face").isNotNull();
      transaction.commit();
      assertThat(store.rows().noMessages()).as("nothing stored").isTrue();
      return failure;
    }
  }

  /**
   * The message of the PublishException; a good neighbour in the same call is not stored either.
   */
  String refusal(Message message) {
    Message good = Message.of("good").build();
    Throwable failure = failure(outbox -> outbox.publishAll(List.of(good, message, good)));
    assertThat(failure).isInstanceOf(PublishException.class);
    return failure.getMessage();
  }
}
