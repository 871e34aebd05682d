/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import java.time.Duration;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * In what the instances of a fleet differ.
 *
 * @param heapMebibytes of its JVM
 * @param connections of its pool
 * @param promptPool whether its pool is there as soon as the database is; by itself, HikariCP may
 *     wait for as long again as the database was away
 * @param workers of each handler that sets no number of its own
 * @param fewWorkers of one handler that does
 * @param perSecond deliveries to one handler; 0: no limit
 * @param retention how long delivered messages are kept
 */
public record Tuning(
    Duration lease,
    int heapMebibytes,
    int connections,
    boolean promptPool,
    boolean autoCommit,
    int workers,
    int fewWorkers,
    int perSecond,
    boolean virtualThreads,
    Duration retention) {
  /** The most workers that one handler can have. */
  public static final int MOST_WORKERS = 16;

  public static final Tuning STANDARD =
      new Tuning(Duration.ofSeconds(4), 128, 16, true, true, 8, 8, 0, false, Duration.ZERO);

  private static final int VIRTUAL_THREADS_SINCE = 21;
  private static final int WORDS = 10;

  public static Tuning draw(Random random) {
    return new Tuning(
        Duration.ofSeconds(4 + 2 * random.nextInt(3)),
        random.nextBoolean() ? 128 : 192,
        8 + random.nextInt(17),
        false,
        random.nextBoolean(),
        random.nextBoolean() ? 8 : MOST_WORKERS,
        1 + random.nextInt(4),
        random.nextInt(3) == 0 ? 200 : 0,
        random.nextBoolean() && Runtime.version().feature() >= VIRTUAL_THREADS_SINCE,
        Duration.ofSeconds(random.nextBoolean() ? 60 : 0));
  }

  public Duration heartbeat() {
    return lease.dividedBy(4);
  }

  String words() {
    return LongStream.of(
            lease.toMillis(),
            heapMebibytes,
            connections,
            promptPool ? 1 : 0,
            autoCommit ? 1 : 0,
            workers,
            fewWorkers,
            perSecond,
            virtualThreads ? 1 : 0,
            retention.toMillis())
        .mapToObj(Long::toString)
        .collect(Collectors.joining(","));
  }

  static Tuning parse(String text) {
    String[] words = text.split(",", -1);
    if (words.length != WORDS) {
      throw new IllegalArgumentException("\"" + text + "\" is no tuning");
    }
    return new Tuning(
        Duration.ofMillis(Long.parseLong(words[0])),
        Integer.parseInt(words[1]),
        Integer.parseInt(words[2]),
        words[3].equals("1"),
        words[4].equals("1"),
        Integer.parseInt(words[5]),
        Integer.parseInt(words[6]),
        Integer.parseInt(words[7]),
        words[8].equals("1"),
        Duration.ofMillis(Long.parseLong(words[9])));
  }
}
