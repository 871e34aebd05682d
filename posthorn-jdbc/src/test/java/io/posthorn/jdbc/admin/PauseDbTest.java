/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Pauses are for the whole fleet, and survive restarts. */
class PauseDbTest extends AdminScene {
  private SteppedRelay withAudit(String name) {
    return relay(
        name,
        b -> b.handler("audit", TYPE, String.class, (text, delivery) -> got.add("audit " + text)));
  }

  @Test
  void aPausedHandlerStaysPausedThroughARestartWhileOthersGoOn() throws Exception {
    SteppedRelay first = withAudit("a");
    first.drain();
    assertThat(admin().fleet().pauseHandler(HANDLER)).isTrue();
    poll(first);
    publish("k", "1");
    first.drain();
    assertThat(got).containsExactly("audit 1");
    first.close();

    SteppedRelay second = withAudit("b");
    publish("k", "2");
    second.drain();
    pass(second, Duration.ofMinutes(1));
    assertThat(got).containsExactly("audit 1", "audit 2");
    assertThat(admin().fleet().pauses()).extracting(Pause::name).containsExactly(HANDLER);

    assertThat(admin().fleet().resumeHandler(HANDLER)).isTrue();
    poll(second);
    assertThat(got).containsExactly("audit 1", "audit 2", "1", "2");
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aPauseReachesEveryRelay() throws Exception {
    SteppedRelay a = relay("a");
    SteppedRelay b = relay("b");
    settleIn(a, b);
    admin().fleet().pauseHandler(HANDLER);
    database.clock().advance(Duration.ofSeconds(1));
    a.drain();
    b.drain();

    for (int i = 0; i < 20; i++) {
      publish("key-" + i, "x" + i);
    }
    a.drain();
    b.drain();
    assertThat(got).isEmpty();

    admin().fleet().resumeHandler(HANDLER);
    database.clock().advance(Duration.ofSeconds(1));
    a.drain();
    b.drain();
    assertThat(got).hasSize(20);
    assertThat(a.log().delivered()).isNotEmpty();
    assertThat(b.log().delivered()).isNotEmpty();
  }

  private void settleIn(SteppedRelay a, SteppedRelay b) {
    for (int i = 0; i < 3; i++) {
      database.clock().advance(Duration.ofSeconds(1));
      a.drain();
      b.drain();
    }
  }

  @Test
  void aPauseMadeInTheRelaysOwnProcessCountsAtItsNextPass() throws Exception {
    SteppedRelay relay = relay("a");
    relay.drain();
    relay.posthorn().admin().fleet().pauseHandler(HANDLER);
    publish("k", "1");
    relay.drain();
    assertThat(got).isEmpty();

    relay.posthorn().admin().fleet().resumeHandler(HANDLER);
    relay.drain();
    assertThat(got).containsExactly("1");
  }

  @Test
  void aPausedPartitionStaysPausedThroughARestart() throws Exception {
    IntStream.range(0, 64).forEach(admin().fleet()::pausePartition);
    admin().fleet().resumePartition(partitionOf("k"));
    SteppedRelay first = relay("a");
    publish("k", "1");
    publish("other", "2");
    first.drain();
    assertThat(got).containsExactly("1");
    first.close();

    SteppedRelay second = relay("b");
    second.drain();
    assertThat(got).containsExactly("1");
    admin().fleet().resumePartition(partitionOf("other"));
    poll(second);
    assertThat(got).containsExactly("1", "2");
  }

  @Test
  void rowsThatNoVersionUnderstandsPauseNothing() throws Exception {
    database.execute("INSERT INTO outbox_pause VALUES ('PARTITION', 'all of them', now())");
    database.execute("ALTER TABLE outbox_pause DROP CONSTRAINT outbox_pause_kind_ck");
    database.execute("INSERT INTO outbox_pause VALUES ('GALAXY', 'andromeda', now())");
    SteppedRelay relay = relay("a");
    publish("k", "1");
    relay.drain();

    assertThat(got).containsExactly("1");
    assertThat(admin().fleet().pauses()).hasSize(1);
  }
}
