/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin;
import io.posthorn.HandlerSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Rows of a transactional handler are gone from the table while the relay has them in memory: an
 * operator has cancelled them, or an older state of the database was restored.
 */
class GoneRowTest {
  private final Scene scene = new Scene(1);
  private final List<String> begun = new ArrayList<>();
  private SteppedRelay relay;

  @AfterEach
  void stop() {
    scene.close();
  }

  /** Two handlers, so that each has a row of its own; those of the ledger are stored, not begun. */
  @BeforeEach
  void bringThreeOfOneKeyToMemory() {
    relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler("mailer", "t", String.class, (payload, delivery) -> {})
                    .handler(
                        HandlerSpec.of(
                                "ledger",
                                "t",
                                String.class,
                                (payload, delivery) -> begun.add(payload))
                            .transactional()));
    relay.steps().step("lease");
    relay.publish(message("t", "k", "0"), message("t", "k", "1"), message("t", "k", "2"));
    relay.steps().step("read");
    relay.steps().step("settle");
    assertThat(begun).isEmpty();
  }

  private Admin admin() {
    return relay.posthorn().admin();
  }

  @Test
  void whatStandsBehindARowThatIsGoneIsNotBegunFromMemory() {
    admin().deferred().cancelAll(Admin.Filter.all().handler("ledger"));

    relay.pass(Duration.ofSeconds(1));

    assertThat(begun).as("only the first one shows that its row is gone").containsExactly("0");
    assertThat(scene.rows().noMessages()).isTrue();
  }

  @Test
  void whatIsStillThereComesInOrder() {
    admin().lanes().skipHead("ledger", "k");

    relay.publish(message("t", "k", "3"));
    relay.pass(Duration.ofSeconds(1));

    assertThat(begun).containsExactly("0", "1", "2", "3");
  }

  @Test
  void theLaneGoesOnWithNewMessages() {
    admin().deferred().cancelAll(Admin.Filter.all().handler("ledger"));
    relay.pass(Duration.ofSeconds(1));

    relay.publish(message("t", "k", "3"));
    relay.pass(Duration.ofSeconds(1));

    assertThat(begun).containsExactly("0", "3");
    assertThat(scene.rows().noMessages()).isTrue();
  }
}
