/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.servers.PostgresServer;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What hands partitions over is a few transactions, one after the other. None of them waits until
 * the disk, or a standby, has it: here the standby never answers.
 */
class HandOverCommitDbTest {
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final PostgresServer server = PostgresServer.newest();
  private LiveDatabase database;

  @AfterEach
  void stop() throws Exception {
    database.execute("ALTER SYSTEM RESET synchronous_standby_names");
    database.execute("SELECT pg_reload_conf()");
    database.close();
    server.close();
  }

  @Test
  void stoppingRelayWaitsForNoDisk() throws Exception { // issue 17, 11
    server.start();
    database = LiveDatabase.on(server, 8);
    RelayStore relay = LiveDatabase.store(database.pool("relay", 5)).build().relay(LEASE);
    RelayIdentity me = relay.join("a", Map.of("mailer", Set.of("t")));
    List<Integer> taken =
        relay.take(me, relay.survey().partitions()).stream()
            .map(PartitionOwner::partition)
            .toList();
    assertThat(taken).hasSize(8);
    database.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    database.execute("SELECT pg_reload_conf()");

    CompletableFuture.runAsync(
            () -> {
              relay.storeFloors(me, Map.of(0, 7L));
              relay.release(me, taken);
              relay.retire(me);
              relay.leave(me);
            })
        .get(LEASE.toSeconds() / 2, TimeUnit.SECONDS);

    assertThat(database.number("SELECT count(*) FROM outbox_partition WHERE owner_id IS NOT NULL"))
        .isZero();
    assertThat(database.number("SELECT count(*) FROM outbox_instance")).isZero();
    assertThat(database.number("SELECT floor_seq FROM outbox_partition WHERE partition_no = 0"))
        .isEqualTo(7);
    relay.close();
  }
}
