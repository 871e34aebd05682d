/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TakeoverWaitTest {
  private static final Logger OF_RELAYS = Logger.getLogger("io.posthorn.relay");

  private final RelayIdentity me = new RelayIdentity("a", 1);
  private final RelayIdentity other = new RelayIdentity("b", 2);
  private final Log log = new Log();
  private long nanos = Duration.ofDays(3).toNanos();
  private final TakeoverWait wait = new TakeoverWait("a", () -> nanos);

  @BeforeEach
  void hearTheLog() {
    OF_RELAYS.addHandler(log);
  }

  @AfterEach
  void leaveTheLog() {
    OF_RELAYS.removeHandler(log);
  }

  private FleetSurvey survey(RelayIdentity... owners) {
    List<PartitionOwner> partitions = new ArrayList<>();
    for (RelayIdentity owner : owners) {
      partitions.add(new PartitionOwner(partitions.size(), owner, 1));
    }
    return new FleetSurvey(partitions, List.of(), Set.of(), Duration.ofSeconds(7), List.of());
  }

  private void note(Duration later, int held, RelayIdentity... owners) {
    nanos += later.toNanos();
    wait.note(survey(owners), me, held, 2);
  }

  @Test
  void aWaitIsToldAfterASecondAndThenEveryTenSeconds() {
    note(Duration.ZERO, 1, me, other, other);
    note(Duration.ofMillis(999), 1, me, other, other);
    assertThat(log.lines).isEmpty();
    note(Duration.ofMillis(1), 1, me, other, other);
    assertThat(log.lines)
        .singleElement()
        .asString()
        .startsWith("[a] holds 1 of 3 partitions and waits for more: 2 belong to \"b#2\"")
        .endsWith("the next one in 7 s");
    note(Duration.ofMillis(9_999), 1, me, other, other);
    assertThat(log.lines).hasSize(1);
    note(Duration.ofMillis(1), 1, me, other, other);
    assertThat(log.lines).hasSize(2);
  }

  @Test
  void whoHasItsShareDoesNotWait() {
    note(Duration.ZERO, 2, me, me, other);
    note(Duration.ofSeconds(20), 2, me, me, other);
    assertThat(log.lines).isEmpty();
  }

  @Test
  void whatNobodyOwnsIsNotWaitedFor() {
    note(Duration.ZERO, 1, me, null, null);
    note(Duration.ofSeconds(20), 1, me, null, null);
    assertThat(log.lines).isEmpty();
  }

  @Test
  void theNextWaitIsCountedAnew() {
    note(Duration.ZERO, 1, me, other);
    note(Duration.ofMillis(500), 2, me, me);
    note(Duration.ofMillis(600), 1, me, other);
    assertThat(log.lines).isEmpty();
  }

  private static final class Log extends Handler {
    final List<String> lines = new ArrayList<>();

    @Override
    public void publish(LogRecord line) {
      lines.add(new SimpleFormatter().formatMessage(line));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
