/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Records messages in the caller's transaction; a relay delivers them after the commit. Safe to
 * share between threads.
 *
 * <p>Every method needs an active transaction on the outbox's data source. It validates and
 * serialises at once, and returns the ids; the rows are written in one statement just before the
 * commit. A roll-back leaves no trace.
 *
 * @since 0.1
 */
public interface Outbox {
  /**
   * What became of a message with an idempotency key.
   *
   * @param id its id; if it was published before, the earlier message's
   * @param alreadyPublished whether a message with its key was published before, so that this one
   *     was not
   */
  record Receipt(UUID id, boolean alreadyPublished) {
    public Receipt {
      requireNonNull(id, "id");
    }
  }

  /**
   * Publishes all of them, in this order, or none; but for those whose idempotency key is taken,
   * which were published before.
   *
   * @return their ids, in the same order; the earlier message's id where a key is taken
   * @throws PublishException if there is no active transaction, or a message cannot be stored;
   *     nothing was stored
   * @throws io.posthorn.spi.StoreException if the database failed: the transaction can only be
   *     rolled back, be it to a savepoint before the call
   */
  List<UUID> publishAll(List<Message> messages);

  /**
   * Publishes one message.
   *
   * @return its id
   * @throws PublishException as {@link #publishAll}
   */
  default UUID publish(Message message) {
    return publishAll(List.of(requireNonNull(message, "message"))).get(0);
  }

  /**
   * Publishes one message unless its idempotency key is taken, and says which. If a transaction
   * that is still under way has the key, its end is waited for.
   *
   * @throws PublishException as {@link #publishAll}, and if the message has no idempotency key
   */
  Receipt publishOnce(Message message);

  /**
   * Publishes a message without a key, unless the payload's class gives it one by {@link
   * OutboxMessage#key}.
   *
   * @param payload an object, JSON text, bytes, or null: a tombstone
   * @throws PublishException as {@link #publishAll}
   */
  default UUID publish(String type, @Nullable Object payload) {
    return publish(Message.of(type).payload(payload).build());
  }

  /**
   * Publishes a message of a type that is a constant; its key is as in {@link #publish(String,
   * Object)}.
   *
   * @throws PublishException as {@link #publishAll}
   */
  default <P> UUID publish(MessageType<P> type, P payload) {
    return publish(Message.of(type).payload(payload).build());
  }

  /**
   * Publishes an object whose class says its type: by {@link OutboxMessage}, or by a registration
   * in the builder. The class may say its key and headers, too.
   *
   * @throws PublishException as {@link #publishAll}, and if the class has no type
   */
  UUID publish(Object payload);
}
