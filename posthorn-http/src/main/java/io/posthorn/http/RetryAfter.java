/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import io.posthorn.spi.Ticker;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Endpoints that have asked not to be sent anything for a while. Safe to share between threads. */
final class RetryAfter {
  /** An endpoint that asks for more is asked again after this time. */
  static final Duration MAX = Duration.ofHours(1);

  /** URLs may be made of values of messages. */
  private static final int MAX_URLS = 10_000;

  private final Clock clock;
  private final Ticker ticker;
  private final Map<String, Long> until = new ConcurrentHashMap<>();

  RetryAfter(Clock clock, Ticker ticker) {
    this.clock = clock;
    this.ticker = ticker;
  }

  /**
   * Remembers what an endpoint asked for.
   *
   * @param header seconds, or an HTTP date
   * @return for how long; empty if the header says nothing that is understood
   */
  Optional<Duration> remember(String destination, String header) {
    Optional<Duration> wait =
        parse(header.strip()).filter(asked -> asked.compareTo(Duration.ZERO) > 0);
    wait.ifPresent(
        asked -> {
          if (until.size() >= MAX_URLS) {
            until.clear(); // they are asked again
          }
          until.put(destination, ticker.nanos() + asked.toNanos());
        });
    return wait;
  }

  private Optional<Duration> parse(String header) {
    try {
      Duration asked =
          header.chars().allMatch(c -> c >= '0' && c <= '9') && !header.isEmpty()
              ? Duration.ofSeconds(Long.parseLong(header))
              : Duration.between(
                  clock.instant(),
                  DateTimeFormatter.RFC_1123_DATE_TIME.parse(header, Instant::from));
      return Optional.of(asked.compareTo(MAX) > 0 ? MAX : asked);
    } catch (NumberFormatException e) { // more seconds than a long can count
      return Optional.of(MAX);
    } catch (DateTimeException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  /** For how long an endpoint is still to be left alone. */
  Optional<Duration> remaining(String destination) {
    Long end = until.isEmpty() ? null : until.get(destination);
    if (end == null) {
      return Optional.empty();
    }
    long left = end - ticker.nanos();
    if (left <= 0) {
      until.remove(destination, end);
      return Optional.empty();
    }
    return Optional.of(Duration.ofNanos(left));
  }
}
