/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.lease;

import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Says for how long a relay waits for partitions of others: of one that was killed they can be
 * taken when its lease has ended, and until then nothing seems to happen. One thread only.
 */
final class TakeoverWait {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");
  private static final long FIRST = TimeUnit.SECONDS.toNanos(1);
  private static final long AGAIN = TimeUnit.SECONDS.toNanos(10);

  private final String relay;
  private final Ticker ticker;
  private @Nullable Long nextWord; // null: does not wait

  TakeoverWait(String relay, Ticker ticker) {
    this.relay = relay;
    this.ticker = ticker;
  }

  /**
   * Notes what a survey has come to.
   *
   * @param held how many partitions the relay holds now
   * @param share how many it wants
   */
  void note(FleetSurvey survey, RelayIdentity me, int held, int share) {
    Map<String, Integer> owners = owners(survey, me);
    if (held >= share || owners.isEmpty()) {
      nextWord = null;
      return;
    }
    long now = ticker.nanos();
    if (nextWord == null) {
      nextWord = now + FIRST;
    } else if (now - nextWord >= 0) {
      nextWord = now + AGAIN;
      LOGGER.log(
          Level.INFO,
          "[{0}] holds {1} of {2} partitions and waits for more: {3}; those of an instance that is gone can be taken when its lease ends, the next one in {4} s",
          relay,
          held,
          survey.partitions().size(),
          owners.entrySet().stream()
              .map(owner -> owner.getValue() + " belong to \"" + owner.getKey() + "\"")
              .collect(Collectors.joining(", ")),
          Math.max(0, survey.untilStale().toSeconds()));
    }
  }

  private static Map<String, Integer> owners(FleetSurvey survey, RelayIdentity me) {
    Map<String, Integer> owners = new TreeMap<>();
    for (PartitionOwner partition : survey.partitions()) {
      RelayIdentity owner = partition.owner();
      if (owner != null && !owner.equals(me)) {
        owners.merge(owner.toString(), 1, Integer::sum);
      }
    }
    return owners;
  }
}
