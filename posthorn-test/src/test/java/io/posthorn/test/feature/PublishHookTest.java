/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.PublishException;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.PublishHook;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.StoredRows;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PublishHookTest {
  private final Scene scene = new Scene(4);
  private final List<String> events = new ArrayList<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  private Posthorn publisher(PublishHook... hooks) {
    return publisher(builder -> {}, hooks);
  }

  private Posthorn publisher(Consumer<Posthorn.Builder> settings, PublishHook... hooks) {
    Posthorn.Builder builder =
        Posthorn.publishOnly(scene.store(), scene.transactions()).clock(scene.clock());
    settings.accept(builder);
    for (PublishHook hook : hooks) {
      builder.publishHook(hook);
    }
    return builder.build();
  }

  private static Message message(String key) {
    return Message.of("t").key(key).payload(key).build();
  }

  /** One that writes down what it hears. */
  private final class Witness implements PublishHook {
    private final String name;

    Witness(String name) {
      this.name = name;
    }

    @Override
    public Message beforePublish(Message message) {
      events.add(name + " before " + message.key());
      return message;
    }

    @Override
    public void afterCommit(List<Envelope> messages) {
      events.add(name + " committed " + keys(messages));
    }

    @Override
    public void afterRollback(List<Envelope> messages) {
      events.add(name + " rolled back " + keys(messages));
    }

    private static List<String> keys(List<Envelope> messages) {
      return messages.stream().map(Envelope::key).toList();
    }
  }

  private static PublishHook before(UnaryOperator<Message> change) {
    return new PublishHook() {
      @Override
      public Message beforePublish(Message message) {
        return change.apply(message);
      }
    };
  }

  private static PublishHook failingAfterwards(Runnable failure) {
    return new PublishHook() {
      @Override
      public void afterCommit(List<Envelope> messages) {
        failure.run();
      }

      @Override
      public void afterRollback(List<Envelope> messages) {
        failure.run();
      }
    };
  }

  @Test
  void hooksAreCalledInTheOrderOfTheirRegistration() {
    Posthorn publisher = publisher(new Witness("1"), new Witness("2"));

    scene.publish(publisher, message("a"), message("b"));

    assertThat(events)
        .containsExactly(
            "1 before a",
            "2 before a",
            "1 before b",
            "2 before b",
            "1 committed [a, b]",
            "2 committed [a, b]");
  }

  @Test
  void aHookChangesTheMessageBeforeItIsChecked() {
    Posthorn publisher =
        publisher(
            before(message -> message.toBuilder().tenant("acme").header("h", "1").build()),
            before(message -> message.toBuilder().key(message.tenant()).build()));

    scene.publish(publisher, Message.of("t").key("\0 would be refused").build());

    assertThat(scene.rows().ready()).extracting(StoredRows.Ready::key).containsExactly("acme");
  }

  @Test
  void aHookVetoesTheWholeCallButNotTheTransaction() {
    Posthorn publisher =
        publisher(
            before(
                message -> {
                  if ("bad".equals(message.key())) {
                    throw new IllegalStateException("not today");
                  }
                  return message;
                }),
            new Witness("later"));
    scene
        .transactions()
        .run(
            () -> {
              publisher.outbox().publish(message("before"));
              assertThatThrownBy(
                      () -> publisher.outbox().publishAll(List.of(message("good"), message("bad"))))
                  .isInstanceOf(PublishException.class)
                  .hasMessageContaining("\"t\" not published")
                  .hasMessageContaining("not today")
                  .hasCauseInstanceOf(IllegalStateException.class);
            });

    assertThat(scene.rows().ready()).extracting(StoredRows.Ready::key).containsExactly("before");
    assertThat(events).last().isEqualTo("later committed [before]");
  }

  @Test
  void aPublishExceptionOfAHookReachesTheCallerAsItIs() {
    PublishException veto = new PublishException("not today");
    Posthorn publisher =
        publisher(
            before(
                message -> {
                  throw veto;
                }));

    assertThatThrownBy(() -> scene.publish(publisher, message("a"))).isSameAs(veto);
    assertThat(scene.rows().ready()).isEmpty();
  }

  @Test
  void aHookThatReturnsNullIsAVeto() {
    Posthorn publisher = publisher(before(message -> null));

    assertThatThrownBy(() -> scene.publish(publisher, message("a")))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining("returned null");
  }

  @Test
  void aRollBackIsToldToHooks() {
    Posthorn publisher = publisher(new Witness("1"));
    try (InMemoryTransactions.Open open = scene.transactions().begin()) {
      publisher.outbox().publish(message("a"));
      publisher.outbox().publish(message("b"));
      open.rollback();
    }

    assertThat(events).containsExactly("1 before a", "1 before b", "1 rolled back [a, b]");
  }

  @Test
  void whatWasRolledBackToASavepointIsNotToldAsCommitted() {
    Posthorn witnessed =
        publisher(builder -> builder.publish(p -> p.bufferMessages(2)), new Witness("1"));
    try (InMemoryTransactions.Open open = scene.transactions().begin()) {
      Object beforeAll = open.savepoint();
      witnessed.outbox().publish(message("a"));
      open.rollbackTo(beforeAll);
      witnessed.outbox().publish(message("b"));
      Object outer = open.savepoint();
      witnessed.outbox().publish(message("c"));
      Object inner = open.savepoint();
      witnessed.outbox().publish(message("d"));
      open.rollbackTo(inner);
      witnessed.outbox().publish(message("e"));
      open.rollbackTo(outer);
      witnessed.outbox().publish(message("f"));
      open.commit();
    }

    assertThat(events)
        .filteredOn(event -> !event.contains("before"))
        .containsExactly("1 committed [b, f]", "1 rolled back [a, d, c, e]");
    assertThat(scene.rows().ready())
        .extracting(StoredRows.Ready::key)
        .containsExactlyInAnyOrder("b", "f");
  }

  @Test
  void nothingIsToldOfATransactionWhoseMessagesWereAllPublishedBefore() {
    Posthorn publisher = publisher(new Witness("1"));
    Message once = Message.of("t").key("a").idempotencyKey("i").build();
    scene.publish(publisher, once);
    events.clear();

    scene.publish(publisher, once);

    assertThat(events).containsExactly("1 before a");
  }

  @Test
  void aHookThatFailsAfterwardsReachesNeitherTheCallerNorTheOtherHooks() {
    List<Runnable> failures =
        List.of(
            () -> {
              throw new IllegalStateException("afterwards");
            },
            () -> {
              throw new NoClassDefFoundError("afterwards");
            });
    for (Runnable failure : failures) {
      events.clear();
      Posthorn publisher = publisher(failingAfterwards(failure), new Witness("2"));

      scene.publish(publisher, message("a"));
      try (InMemoryTransactions.Open open = scene.transactions().begin()) {
        publisher.outbox().publish(message("b"));
        open.rollback();
      }

      assertThat(events)
          .containsExactly("2 before a", "2 committed [a]", "2 before b", "2 rolled back [b]");
    }
    assertThat(scene.rows().ready()).hasSize(2);
  }

  @Test
  void aHookThatPublishesAfterTheCommitIsRefusedAndNothingElseHappens() {
    List<Posthorn> self = new ArrayList<>();
    Posthorn publisher =
        publisher(
            failingAfterwards(() -> self.get(0).outbox().publish(message("too late"))),
            new Witness("2"));
    self.add(publisher);

    scene.publish(publisher, message("a"));

    assertThat(events).containsExactly("2 before a", "2 committed [a]");
    assertThat(scene.rows().ready()).hasSize(1);
  }
}
