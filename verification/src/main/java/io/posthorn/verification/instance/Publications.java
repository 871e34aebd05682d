/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.verification.history.Sent;
import io.posthorn.verification.history.Sent.Timing;
import io.posthorn.verification.history.TruthLog;
import io.posthorn.verification.instance.MessageMix.Draft;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Publishes messages together with the business rows that prove their commit. */
final class Publications {
  private final Outbox outbox;
  private final TruthLog truth;

  Publications(Outbox outbox, TruthLog truth) {
    this.outbox = outbox;
    this.truth = truth;
  }

  /** Publishes it in the transaction of the calling thread. */
  Sent publish(Connection connection, @Nullable String key, Draft draft) throws SQLException {
    UUID id = UUID.randomUUID();
    Timing timing = draft.timing(System.currentTimeMillis());
    // The number is taken first: whoever has the next one waits until this is committed.
    Sent sent =
        record(connection, new Sent(id, draft.type(), key, 0, draft.nature(), timing, null));
    outbox.publish(message(draft, sent).build());
    return sent;
  }

  /** The same; empty if its key is taken. */
  Optional<Sent> publishOnce(
      Connection connection,
      long transaction,
      @Nullable String key,
      Draft draft,
      String idempotencyKey)
      throws SQLException {
    UUID id = UUID.randomUUID();
    Timing timing = draft.timing(System.currentTimeMillis());
    Sent sent = new Sent(id, draft.type(), key, 0, draft.nature(), timing, idempotencyKey);
    Outbox.Receipt receipt =
        outbox.publishOnce(message(draft, sent).idempotencyKey(idempotencyKey).build());
    if (receipt.alreadyPublished()) {
      truth.taken(transaction, idempotencyKey, receipt.id());
      return Optional.empty();
    }
    return Optional.of(record(connection, sent));
  }

  private static Sent record(Connection connection, Sent sent) throws SQLException {
    ChaosTables.insertOrder(connection, sent.id());
    String key = sent.key();
    return key == null || sent.timing().delayed()
        ? sent
        : sent.withNumber(ChaosTables.nextNumber(connection, key));
  }

  private static Message.Builder message(Draft draft, Sent sent) {
    Message.Builder message =
        Contents.pack(draft.type(), draft.nature(), draft.payload(), draft.extraHeaders())
            .id(sent.id())
            .key(sent.key());
    Timing timing = sent.timing();
    if (timing.expires()) {
      message.expiresAt(Instant.ofEpochMilli(timing.expiresAt()));
    }
    if (timing.delayed() && draft.delayMillis() % 2 == 0) {
      message.deliverAt(Instant.ofEpochMilli(timing.notBefore()));
    } else if (timing.delayed()) {
      message.deliverAfter(Duration.ofMillis(draft.delayMillis()));
    }
    return message;
  }
}
