/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * What a handler noted about a delivery.
 *
 * @param life of an instance: its name and how often it had been started
 * @param millis on the machine's clock, whatever clock the instance was given
 */
public record Receipt(
    Kind kind,
    String life,
    String handler,
    int partition,
    long epoch,
    int attempt,
    UUID id,
    long millis) {
  private static final int WORDS = 7;

  /** What happened. */
  public enum Kind {
    STARTED,
    DONE,
    FAILED,
    /** The destination was down: no attempt. */
    REFUSED,
    /** The fallback has taken it in place of the handler. */
    FELL_BACK,
    /** The fallback has failed too. */
    GAVE_UP,
    /** Payload or headers are not what was published. */
    GARBLED;

    /** Whether the handler has nothing more to do with it. */
    public boolean isSuccess() {
      return this == DONE || this == FELL_BACK;
    }
  }

  public Receipt withEpoch(long other) {
    return new Receipt(kind, life, handler, partition, other, attempt, id, millis);
  }

  String line() {
    return "%s %s %d %d %d %s %d\n"
        .formatted(
            kind.name().toLowerCase(Locale.ROOT), handler, partition, epoch, attempt, id, millis);
  }

  /** Empty if the process died in the middle of the line. */
  static Optional<Receipt> parse(String life, String line) {
    String[] words = line.split(" ", -1);
    if (words.length != WORDS) {
      return Optional.empty();
    }
    return Optional.of(
        new Receipt(
            Kind.valueOf(words[0].toUpperCase(Locale.ROOT)),
            life,
            words[1],
            Integer.parseInt(words[2]),
            Long.parseLong(words[3]),
            Integer.parseInt(words[4]),
            UUID.fromString(words[5]),
            Long.parseLong(words[6])));
  }

  @Override
  public String toString() {
    return "%d %s of \"%s\" in %s, partition %d, epoch %d, attempt %d"
        .formatted(
            millis, kind.name().toLowerCase(Locale.ROOT), handler, life, partition, epoch, attempt);
  }
}
