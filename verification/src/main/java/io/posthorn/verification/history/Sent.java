/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message as its publisher meant it.
 *
 * @param number its place among those of its key; 0: it stands in no order
 * @param idempotencyKey under which it is published once only, or null
 */
public record Sent(
    UUID id,
    String type,
    @Nullable String key,
    long number,
    Nature nature,
    Timing timing,
    @Nullable String idempotencyKey) {
  private static final String NONE = "-";

  /**
   * When it may be delivered, in milliseconds of the machine's clock.
   *
   * @param notBefore 0: at once
   * @param expiresAt {@link #NEVER}: it does not expire
   */
  public record Timing(long notBefore, long expiresAt) {
    public static final long NEVER = Long.MAX_VALUE;
    public static final Timing ANY = new Timing(0, NEVER);

    public static Timing notBefore(long time) {
      return new Timing(time, NEVER);
    }

    public static Timing until(long time) {
      return new Timing(0, time);
    }

    public boolean delayed() {
      return notBefore > 0;
    }

    public boolean expires() {
      return expiresAt != NEVER;
    }
  }

  public Sent withNumber(long place) {
    return new Sent(id, type, key, place, nature, timing, idempotencyKey);
  }

  /** As a part of a line; no word has a space. */
  String words() {
    return "%s %s %s %d %s %d %d %s"
        .formatted(
            id,
            type,
            key == null ? NONE : key,
            number,
            nature,
            timing.notBefore,
            timing.expiresAt,
            idempotencyKey == null ? NONE : idempotencyKey);
  }

  /**
   * @param from the place of the first word
   */
  static Sent parse(String[] words, int from) {
    return new Sent(
        UUID.fromString(words[from]),
        words[from + 1],
        optional(words[from + 2]),
        Long.parseLong(words[from + 3]),
        Nature.valueOf(words[from + 4]),
        new Timing(Long.parseLong(words[from + 5]), Long.parseLong(words[from + 6])),
        optional(words[from + 7]));
  }

  private static @Nullable String optional(String word) {
    return word.equals(NONE) ? null : word;
  }
}
