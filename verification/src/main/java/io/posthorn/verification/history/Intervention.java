/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an operator did, or meant to do.
 *
 * @param life of the instance it was done in
 * @param target what it may concern
 * @param askedAt just before it was done, in milliseconds
 * @param endedAt just after it; {@link Long#MAX_VALUE}: nobody lived to note that
 * @param result as the operator was told
 */
public record Intervention(
    Kind kind, String life, Target target, long askedAt, long endedAt, String result) {
  /** What an operator can do. */
  public enum Kind {
    RETRY,
    /** Changes the headers of a dead letter so that handlers take it. */
    EDIT,
    RESOLVE,
    DELETE,
    SKIP,
    BLOCK,
    UNBLOCK,
    CANCEL,
    RUN_NOW,
    REPLAY,
    PAUSE_HANDLER,
    PAUSE_PARTITION,
    /** Says that a handler was removed on purpose, which nobody ever had or everybody has. */
    FORGET_HANDLER,
    PAUSE_RELAY;

    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /**
   * Which entries may be concerned.
   *
   * @param handler {@link #ANY}: all of them
   * @param key null: whatever its key
   * @param id null: all messages
   */
  public record Target(String handler, @Nullable String key, @Nullable UUID id) {
    /** In place of the handler: messages that are delayed are for no handler yet. */
    public static final String ANY = "*";

    public static Target lane(String handler, String key) {
      return new Target(handler, key, null);
    }

    public static Target message(String handler, UUID id) {
      return new Target(handler, null, id);
    }

    public static Target handler(String handler) {
      return new Target(handler, null, null);
    }

    public boolean covers(Receiver receiver, Sent message) {
      return (handler.equals(ANY) || handler.equals(receiver.label()))
          && (key == null || key.equals(message.key()))
          && (id == null || id.equals(message.id()));
    }
  }

  /** Whether it may have concerned a message that was there at some time before its end. */
  public boolean concerns(Receiver receiver, Truth.Committed message) {
    return message.askedAt() <= endedAt && target.covers(receiver, message.sent());
  }

  Intervention ended(long millis, String answer) {
    return new Intervention(kind, life, target, askedAt, millis, answer);
  }

  @Override
  public String toString() {
    return "%d %s of %s by an operator in %s: %s"
        .formatted(askedAt, kind.label(), target, life, result);
  }
}
