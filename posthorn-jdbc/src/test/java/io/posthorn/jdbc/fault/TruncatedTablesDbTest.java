/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Somebody empties the tables, the one of the partitions too, while a relay runs. */
class TruncatedTablesDbTest extends OneDatabase {
  private final RelayLog log = RelayLog.open();

  @AfterEach
  void closeLog() {
    log.close();
  }

  @Test
  void relaySaysWhatIsMissingAndGoesOnWhenItIsThereAgain() throws Exception {
    SteppedRelay relay = relay("a");
    relay.drain();
    database.execute(
        "TRUNCATE outbox_message, outbox_deferred, outbox_instance, outbox_heartbeat, outbox_partition, outbox_deferred_floor");
    for (int i = 0; i < 3; i++) {
      pass(relay);
    }
    assertThat(log.with("had 64 partitions, and has 0")).hasSize(1);

    database.execute(
        "INSERT INTO outbox_partition (partition_no, epoch, crashes, floor_seq) SELECT n, 0, 0, 0 FROM generate_series(0, 63) AS n");
    pass(relay);
    UUID id = publish("key");
    relay.drain();
    relay.log().assertDelivered(HANDLER, id);
  }

  private void pass(SteppedRelay relay) {
    for (int i = 0; i < 4; i++) {
      database.clock().advance(Duration.ofSeconds(10));
      relay.drain();
    }
  }
}
