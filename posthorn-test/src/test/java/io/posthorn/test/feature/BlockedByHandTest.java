/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.test.StoredRows;
import io.posthorn.test.fault.FaultyStore;
import io.posthorn.test.fault.FaultyStore.Step;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lane that an operator has blocked holds what is published from then on in the same process. */
class BlockedByHandTest {
  private final Scene scene = new Scene(1);
  private final FaultyStore store = new FaultyStore(scene.store());
  private final List<String> got = new ArrayList<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  private SteppedRelay relay() {
    return scene.relay(
        "a",
        store,
        builder ->
            builder.handler("mailer", "t", String.class, (payload, delivery) -> got.add(payload)));
  }

  private void blockAndPublish(SteppedRelay relay) {
    assertThat(relay.posthorn().admin().lanes().block("mailer", "k")).isTrue();
    relay.publish(message("t", "k", "held"), message("t", "other", "free"));
  }

  private void onlyTheOtherLaneGoesOn(SteppedRelay relay) {
    assertThat(got).containsExactly("free");
    assertThat(scene.rows().deferred())
        .extracting(StoredRows.Deferred::reason)
        .containsExactly("BLOCKED", "HELD");

    assertThat(relay.posthorn().admin().lanes().unblock("mailer", "k")).isTrue();
    relay.drain();
    assertThat(got).containsExactly("free", "held");
  }

  @Test
  void whatIsPublishedIntoABlockedLaneWaits() {
    SteppedRelay relay = relay();
    relay.drain();

    blockAndPublish(relay);
    relay.drain();

    onlyTheOtherLaneGoesOn(relay);
  }

  @Test
  void whatIsPublishedIntoALaneThatIsBlockedDuringAReadWaits() {
    SteppedRelay relay = relay();
    relay.drain();

    store.before(Step.READ, () -> blockAndPublish(relay));
    relay.drain();

    onlyTheOtherLaneGoesOn(relay);
  }
}
