/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.PublishException;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.fault.FaultyStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A transaction in which the database has refused messages, and which its caller goes on with. */
class RefusedPublishTest {
  private static final String MUST_ROLL_BACK = "the transaction must roll back";

  private final Scene scene = new Scene(4);
  private final FaultyStore store = new FaultyStore(scene.store());
  private final Outbox outbox =
      Posthorn.publishOnly(store, scene.transactions())
          .publish(publish -> publish.bufferMessages(1))
          .build()
          .outbox();

  @AfterEach
  void stop() {
    scene.close();
  }

  @Test
  void nothingOfARefusedMessageIsCommittedByItselfOrWithALaterOne() {
    store.failAfter(FaultyStore.Step.APPEND);
    try (InMemoryTransactions.Open open = scene.transactions().begin()) {
      assertThatThrownBy(() -> outbox.publish("t", "1")).hasMessageContaining("FaultyStore");
      assertThatThrownBy(() -> outbox.publish("t", "2"))
          .isInstanceOf(PublishException.class)
          .hasMessageContaining(MUST_ROLL_BACK);
      assertThatThrownBy(open::commit).hasMessageContaining(MUST_ROLL_BACK);
    }

    assertThat(scene.rows().ready()).isEmpty();
  }

  @Test
  void aRollBackToASavepointBeforeItIsEnough() {
    try (InMemoryTransactions.Open open = scene.transactions().begin()) {
      outbox.publish("t", "before");
      Object savepoint = open.savepoint();
      store.failAfter(FaultyStore.Step.APPEND);
      assertThatThrownBy(() -> outbox.publish("t", "1")).hasMessageContaining("FaultyStore");
      Object later = open.savepoint();
      open.rollbackTo(later);
      assertThatThrownBy(() -> outbox.publish("t", "2")).hasMessageContaining(MUST_ROLL_BACK);
      open.rollbackTo(savepoint);
      outbox.publish("t", "after");
      open.commit();
    }

    assertThat(scene.rows().ready()).hasSize(2);
  }
}
