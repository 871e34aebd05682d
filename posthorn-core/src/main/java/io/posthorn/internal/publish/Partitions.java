/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Gives each message its partition. A key always has the same one: CRC-32 of its UTF-8 bytes,
 * modulo the number of partitions, which is fixed with the tables. A message without a key goes to
 * a partition that this process reads itself, if that is not behind with its work.
 */
final class Partitions {
  private final int count;
  private final Supplier<List<Integer>> nearby;

  /**
   * @param nearby partitions that this process would read at once; may be empty
   */
  Partitions(int count, Supplier<List<Integer>> nearby) {
    this.count = count;
    this.nearby = nearby;
  }

  int of(@Nullable String key) {
    if (key != null) {
      return ofKey(key, count);
    }
    List<Integer> near = nearby.get();
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return near.isEmpty() ? random.nextInt(count) : near.get(random.nextInt(near.size()));
  }

  static int ofKey(String key, int count) {
    CRC32 crc = new CRC32();
    crc.update(key.getBytes(StandardCharsets.UTF_8));
    return (int) (crc.getValue() % count);
  }
}
