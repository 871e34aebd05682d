/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.Entry;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.Admin.Page;
import io.posthorn.Admin.ReadyMessage;
import io.posthorn.MessageHeaders;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.StoredMessage;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes messages, and what handlers have of them. */
record Entries(FieldMask mask) {
  <T> JsonObject page(Page<T> page, Function<T, JsonObject> item) {
    return new JsonObject()
        .put("items", page.items().stream().map(item).toList())
        .put("cursor", page.cursor());
  }

  JsonObject ready(ReadyMessage entry) {
    return message(entry);
  }

  JsonObject deferred(DeferredEntry entry) {
    return message(entry)
        .put("reason", entry.reason())
        .put("attempts", entry.attempts())
        .put("lastError", entry.lastError())
        .put("dueAt", entry.dueAt())
        .put("deferredAt", entry.deferredAt());
  }

  JsonObject dead(DeadLetter entry) {
    return message(entry)
        .put("attempts", entry.attempts())
        .put("error", entry.error())
        .put("diedAt", entry.diedAt());
  }

  JsonObject history(HistoryEntry entry) {
    JsonObject json = message(entry).put("deliveredAt", entry.deliveredAt());
    if (entry.resolution() != null) {
      json.put(
          "resolution",
          new JsonObject()
              .put("who", entry.resolution().who())
              .put("why", entry.resolution().why()));
    }
    return json;
  }

  private JsonObject message(Entry entry) {
    StoredMessage message = entry.message();
    Envelope envelope = message.envelope();
    UUID edited = editedBy(envelope);
    return new JsonObject()
        .put("id", EntryIds.text(entry.id()))
        .put("messageId", envelope.id())
        .put("partition", message.partition())
        .put("seq", message.seq())
        .put("handler", entry.handler())
        .put("type", envelope.type())
        .put("key", envelope.key())
        .put("tenant", envelope.tenant())
        .put("aggregateType", envelope.aggregateType())
        .put("headers", mask.headers(envelope.headers()))
        .put("createdAt", message.createdAt())
        .put("occurredAt", envelope.occurredAt())
        .put("expiresInSeconds", Json.seconds(message.expiresIn()))
        .put("edited", envelope.headers().containsKey(MessageHeaders.EDITED))
        .put("editedBy", edited);
  }

  private static @Nullable UUID editedBy(Envelope envelope) {
    String action = envelope.headers().get(MessageHeaders.EDITED);
    try {
      return action == null ? null : Query.uuidOf(action);
    } catch (IllegalArgumentException e) { // a publisher may have sent such a header
      return null;
    }
  }
}
