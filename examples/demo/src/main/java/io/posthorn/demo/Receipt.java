/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * One line that a relay wrote about one delivery, or about the circuit of a handler.
 *
 * @param relay which process wrote it; not part of the line
 * @param epoch of successful deliveries and retries
 * @param number of the order, as the payload says; of a circuit: how many milliseconds it was open
 * @param id of the message; all zeros if it is about a circuit
 */
record Receipt(Kind kind, String relay, String handler, long epoch, long number, UUID id) {
  private static final UUID NO_MESSAGE = new UUID(0, 0);

  /** How the delivery ended, or what became of the circuit. */
  enum Kind {
    DELIVERED,
    RETRYING,
    DEAD,
    OPENED,
    CLOSED
  }

  static Receipt ofCircuit(Kind kind, String relay, String handler, Duration open) {
    return new Receipt(kind, relay, handler, 0, open.toMillis(), NO_MESSAGE);
  }

  String line() {
    return "%s %s %d %d %s\n"
        .formatted(kind.name().toLowerCase(Locale.ROOT), handler, epoch, number, id);
  }

  /** Empty if the process died in the middle of the line. */
  static Optional<Receipt> parse(String relay, String line) {
    String[] words = line.split(" ", -1);
    if (words.length != 5) {
      return Optional.empty();
    }
    return Optional.of(
        new Receipt(
            Kind.valueOf(words[0].toUpperCase(Locale.ROOT)),
            relay,
            words[1],
            Long.parseLong(words[2]),
            Long.parseLong(words[3]),
            UUID.fromString(words[4])));
  }
}
