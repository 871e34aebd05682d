/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import java.time.Duration;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class HeartbeatDbTest {
  private static final String HEARTBEATS =
      "SELECT (extract(epoch FROM good_until) * 1000)::bigint FROM outbox_heartbeat";

  @Test
  void heartbeatsFollowTheirIntervalEvenIfSurveysAreRarer() {
    try (LiveDatabase database = LiveDatabase.onSharedServer()) {
      HikariDataSource pool = database.pool("a", 10);
      try (Posthorn posthorn = relayThatBeatsTenTimesASecond(pool)) {
        SortedSet<Long> beats = new TreeSet<>();
        new Await(() -> "heartbeats at " + beats + "\n" + database.describe())
            .until(
                "ten heartbeats",
                () -> {
                  database.list(HEARTBEATS).forEach(beat -> beats.add(Long.valueOf(beat)));
                  return beats.size() >= 10;
                });
        assertThat(Duration.ofMillis(beats.last() - beats.first()))
            .isLessThan(Duration.ofSeconds(5));
        assertThat(posthorn.relay().status().name()).isEqualTo("a");
      }
    }
  }

  private static Posthorn relayThatBeatsTenTimesASecond(HikariDataSource pool) {
    return Posthorn.inOneProcess(LiveDatabase.store(pool).build(), new JdbcTransactions(pool))
        .handler("shipping", "order", String.class, (payload, delivery) -> {})
        .relay(
            relay ->
                relay
                    .name("a")
                    .heartbeatInterval(Duration.ofMillis(100))
                    .leaseDuration(Duration.ofSeconds(1)))
        .start();
  }
}
