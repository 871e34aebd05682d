/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Admin;
import io.posthorn.boot.test.Bakery.Baked;
import io.posthorn.boot.test.Bakery.Cake;
import io.posthorn.boot.test.Bakery.Oven;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.RelayStore;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@SpringBootTest(classes = Bakery.class)
@OutboxTest
class OutboxTesterTest {
  private static final Cake CAKE = new Cake("c-1", 7);

  @Autowired private OutboxTester outbox;
  @Autowired private Bakery.Counter counter;
  @Autowired private Bakery.Baker baker;
  @Autowired private Bakery.Waiter waiter;
  @Autowired private PlatformTransactionManager manager;
  @Autowired private DataSource dataSource;

  @BeforeEach
  void beginAnew() {
    baker.oven = Oven.HOT;
    baker.baked.clear();
    baker.threads.clear();
    waiter.served.clear();
  }

  @Test
  void nothingIsDeliveredUntilTheTestSaysSo() {
    counter.order(CAKE);

    assertThat(outbox.published("cake-ordered", Cake.class)).containsExactly(CAKE);
    assertThat(outbox.published())
        .singleElement()
        .satisfies(
            message -> {
              assertThat(message.key()).isEqualTo("c-1");
              assertThat(message.payload(String.class)).contains("\"candles\":7");
            });
    assertThat(outbox.delivered()).isEmpty();

    outbox.drain();

    assertThat(baker.baked).containsExactly(CAKE);
    assertThat(baker.threads).containsExactly(Thread.currentThread());
  }

  @Test
  void nothingIsKeptForAHandlerOfAContextThatWasClosed() {
    MessageStore store = JdbcMessageStore.builder(dataSource).build();
    try (RelayStore closed = store.relay(Duration.ofSeconds(30))) {
      closed.leave(closed.join("closed", Map.of("florist", Set.of("cake-ordered"))));
    }
    outbox.advance(Duration.ofSeconds(30)); // for the next look at the fleet
    counter.order(CAKE);
    outbox.drain();
    assertThat(outbox.deferred()).extracting("handler").containsExactly("florist");

    outbox.clear();
    counter.order(CAKE);
    outbox.drain();

    assertThat(outbox.deferred()).isEmpty();
  }

  @Test
  void whatHandlersPublishIsDeliveredToo() {
    counter.order(CAKE);

    outbox.drain();

    assertThat(waiter.served).containsExactly("c-1");
    assertThat(outbox.published("cake-baked", Baked.class)).containsExactly(new Baked("c-1"));
    assertThat(outbox.delivered()).extracting("handler").containsExactly("baker", "waiter");
  }

  @Test
  void whatWasRolledBackWasNotPublished() {
    assertThatThrownBy(() -> counter.orderAndFail(CAKE)).hasMessage("no flour");

    assertThat(outbox.published()).isEmpty();
    outbox.drain();
    assertThat(baker.baked).isEmpty();
  }

  @Test
  void aFailureFailsTheTestThatDidNotExpectIt() {
    baker.oven = Oven.BROKEN;
    counter.order(CAKE);

    assertThatThrownBy(outbox::drain)
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll("handler=baker", "attempt=1", "the oven is broken")
        .cause()
        .hasMessage("the oven is broken");
  }

  @Test
  void aRetryComesWhenItsTimeHasPassed() {
    baker.oven = Oven.BROKEN;
    counter.order(CAKE);
    assertThat(outbox.attempt()).hasSize(1);
    assertThat(outbox.deferred())
        .singleElement()
        .satisfies(entry -> assertThat(entry.lastError()).contains("the oven is broken"));

    baker.oven = Oven.HOT;
    outbox.advance(Duration.ofMinutes(59));
    outbox.drain();
    assertThat(baker.baked).isEmpty();

    outbox.advance(Duration.ofMinutes(1));
    outbox.drain();
    assertThat(baker.baked).containsExactly(CAKE);
    assertThat(outbox.deferred()).isEmpty();
  }

  @Test
  void aMessageThatIsGivenUpIsADeadLetterAndCanBeRetried() {
    baker.oven = Oven.BROKEN;
    counter.order(CAKE);
    assertThat(outbox.attempt()).hasSize(1);
    outbox.advance(Duration.ofHours(1));
    assertThat(outbox.attempt()).hasSize(1);
    assertThat(outbox.deadLetters()).extracting(Admin.DeadLetter::attempts).containsExactly(2);

    baker.oven = Oven.HOT;
    outbox.admin().deadLetters().retryAll(Admin.Filter.all());
    outbox.drain();

    assertThat(baker.baked).containsExactly(CAKE);
    assertThat(outbox.deadLetters()).isEmpty();
  }

  @Test
  void aDelayedMessageComesWhenItsTimeHasPassed() {
    counter.orderFor(CAKE, Duration.ofDays(2));
    outbox.drain();
    outbox.advance(Duration.ofDays(1));
    outbox.drain();
    assertThat(baker.baked).isEmpty();

    outbox.advance(Duration.ofDays(1));
    outbox.drain();
    assertThat(baker.baked).containsExactly(CAKE);
  }

  @Test
  void whatWaitsForADestinationIsSaid() {
    baker.oven = Oven.OUT_OF_REACH;
    counter.order(CAKE);
    assertThatThrownBy(outbox::drain)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("the destination of handler \"baker\" is down");

    baker.oven = Oven.HOT;
    outbox.advance(Duration.ofSeconds(2));
    outbox.drain();
    assertThat(baker.baked).containsExactly(CAKE);
  }

  @Test
  void whatWaitsForAPausedHandlerIsSaid() {
    outbox.admin().fleet().pauseHandler("baker");
    counter.order(CAKE);

    assertThatThrownBy(outbox::drain)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("handler \"baker\" is paused");
  }

  @Test
  void clearingLeavesNothingOfWhatWaited() {
    baker.oven = Oven.BROKEN;
    counter.order(CAKE);
    outbox.attempt();
    outbox.advance(Duration.ofHours(1));
    outbox.attempt();
    counter.order(new Cake("retrying", 1));
    outbox.attempt();
    baker.oven = Oven.OUT_OF_REACH;
    counter.order(new Cake("in memory", 1));
    outbox.attempt();
    counter.order(new Cake("ready", 1));
    outbox.admin().fleet().pauseHandler("waiter");

    outbox.clear();

    assertThat(outbox.published()).isEmpty();
    assertThat(outbox.deferred()).isEmpty();
    assertThat(outbox.deadLetters()).isEmpty();
    assertThat(outbox.admin().survey(10).ready()).isEmpty();
    baker.oven = Oven.HOT;
    outbox.advance(Duration.ofDays(1));
    outbox.drain();
    assertThat(baker.baked).isEmpty();
    counter.order(CAKE);
    outbox.drain();
    assertThat(baker.baked).containsExactly(CAKE);
    assertThat(waiter.served).containsExactly("c-1");
  }

  @Test
  void insideATransactionNothingCanBeDelivered() {
    new TransactionTemplate(manager)
        .executeWithoutResult(
            status ->
                assertThatThrownBy(outbox::drain)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("TestTransaction.end()"));
  }

  @Test
  void anOutboxThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> outbox.named("cellar").drain())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("The application has no outbox \"cellar\", but [outbox]");
  }
}
