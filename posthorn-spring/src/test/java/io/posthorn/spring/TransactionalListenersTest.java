/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Outbox;
import io.posthorn.PublishException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** What listeners of transactions may publish, before and after the end. */
class TransactionalListenersTest {

  /** Publishes an event of Spring's, then a message if asked for. */
  static class Service {
    private final Outbox outbox;
    private final ApplicationEventPublisher events;

    Service(Outbox outbox, ApplicationEventPublisher events) {
      this.outbox = outbox;
      this.events = events;
    }

    @Transactional
    void commit(Object event, boolean withMessage) {
      events.publishEvent(event);
      if (withMessage) {
        outbox.publish("its-own", "1");
      }
    }

    @Transactional
    void rollBack(Object event, boolean withMessage) {
      commit(event, withMessage);
      throw new IllegalStateException("as planned");
    }
  }

  static class OwnTransaction {
    private final Outbox outbox;

    OwnTransaction(Outbox outbox) {
      this.outbox = outbox;
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    void publish(String type) {
      outbox.publish(type, "2");
    }
  }

  static class BeforeCommit {
    private final Outbox outbox;

    BeforeCommit(Outbox outbox) {
      this.outbox = outbox;
    }

    @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
    void on(Integer event) {
      outbox.publish("listened", event.toString());
    }
  }

  static class AfterEnd {
    private final Outbox outbox;
    private final OwnTransaction own;
    private final Notes notes;

    AfterEnd(Outbox outbox, OwnTransaction own, Notes notes) {
      this.outbox = outbox;
      this.own = own;
      this.notes = notes;
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
    void on(Integer event) {
      assertThatThrownBy(() -> outbox.publish("late", "2"))
          .isInstanceOf(PublishException.class)
          .hasMessageContaining("Publish before the commit");
      own.publish("in-its-own");
      assertThatThrownBy(() -> outbox.publish("late", "3")).isInstanceOf(PublishException.class);
      notes.add("seen"); // what a listener throws after the end is only logged
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aListenerBeforeTheCommitMayPublish(boolean withMessage) {
    try (TransactionalScene scene =
        TransactionalScene.of(TransactionalScene.Jdbc.class, BeforeCommit.class, Service.class)) {
      scene.bean(Service.class).commit(7, withMessage);

      assertThat(scene.stored()).contains("listened").hasSize(withMessage ? 2 : 1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aListenerAfterTheCommitMayPublishInATransactionOfItsOwnOnly(boolean withMessage) {
    try (TransactionalScene scene = afterEnd()) {
      scene.bean(Service.class).commit(7, withMessage);

      assertThat(scene.bean(Notes.class).lines()).containsExactly("seen");
      assertThat(scene.stored()).contains("in-its-own").hasSize(withMessage ? 2 : 1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aListenerAfterARollbackMayPublishInATransactionOfItsOwnOnly(boolean withMessage) {
    try (TransactionalScene scene = afterEnd()) {
      assertThatThrownBy(() -> scene.bean(Service.class).rollBack(7, withMessage))
          .hasMessage("as planned");

      assertThat(scene.bean(Notes.class).lines()).containsExactly("seen");
      assertThat(scene.stored()).containsExactly("in-its-own");
    }
  }

  private static TransactionalScene afterEnd() {
    return TransactionalScene.of(
        TransactionalScene.Jdbc.class,
        Notes.class,
        OwnTransaction.class,
        AfterEnd.class,
        Service.class);
  }
}
