/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Command;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.TrafficListener;
import io.posthorn.DestinationDownException;
import io.posthorn.RefusedException;
import io.posthorn.servers.RabbitServer;
import io.posthorn.spi.Outgoing;
import io.posthorn.test.MutableClock;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** What the contract of senders does not ask for. */
@Timeout(120)
class RabbitSenderTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  /** With a clock that the test moves: a slow broker is not a silent one. */
  private static final Duration SHORT = Duration.ofMillis(500);

  private final Exchange exchange = Exchange.create();
  private final RabbitSender sender = RabbitSender.connect(Exchange.factory(), LIMIT);

  static boolean brokerIsRabbitMq() {
    return Exchange.broker() instanceof RabbitServer;
  }

  @AfterEach
  void close() {
    sender.close();
  }

  private Outgoing message(String text) {
    return message(exchange.name(), null, Map.of("n", text), text);
  }

  private static Outgoing message(
      String exchange, String routingKey, Map<String, String> headers, String text) {
    return new Outgoing(
        UUID.randomUUID(),
        "order-placed",
        exchange,
        routingKey,
        "k",
        headers,
        "text/plain",
        text.getBytes(UTF_8),
        Instant.parse("2026-03-01T12:00:00Z"));
  }

  /** Null if it was confirmed. */
  private static Throwable outcome(CompletionStage<?> sending) throws Exception {
    Throwable failure =
        sending
            .handle((any, thrown) -> thrown)
            .toCompletableFuture()
            .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }

  private Throwable outcome(Outgoing message) throws Exception {
    return outcome(sender.send(message));
  }

  private static List<Throwable> outcomes(List<? extends CompletionStage<?>> all) throws Exception {
    List<Throwable> outcomes = new ArrayList<>();
    for (CompletionStage<?> sending : all) {
      outcomes.add(outcome(sending));
    }
    return outcomes;
  }

  private List<String> texts(int atLeast) {
    return exchange.read(atLeast, LIMIT).stream().map(Exchange::text).toList();
  }

  @Test
  void theMessageIsInThePropertiesAndItsTypeIsTheRoutingKey() throws Exception {
    Outgoing message = message("1");
    assertThat(outcome(message)).isNull();

    GetResponse arrived = exchange.read(1, LIMIT).get(0);
    BasicProperties properties = arrived.getProps();
    assertThat(arrived.getEnvelope().getRoutingKey()).isEqualTo("order-placed");
    assertThat(properties.getMessageId()).isEqualTo(message.id().toString());
    assertThat(properties.getType()).isEqualTo("order-placed");
    assertThat(properties.getContentType()).isEqualTo("text/plain");
    assertThat(properties.getTimestamp().toInstant()).isEqualTo(message.occurredAt());
    assertThat(properties.getDeliveryMode()).as("persistent").isEqualTo(2);
    assertThat(properties.getHeaders().get("n")).hasToString("1");
  }

  @Test
  void aRouteMayNameTheRoutingKeyAndTheDefaultExchange() throws Exception {
    assertThat(outcome(message(exchange.name(), "eu.orders", Map.of(), "1"))).isNull();
    assertThat(outcome(message("", exchange.queue(), Map.of(), "2"))).isNull();

    assertThat(exchange.read(2, LIMIT))
        .extracting(arrived -> arrived.getEnvelope().getRoutingKey())
        .containsExactly("eu.orders", exchange.queue());
  }

  @Test
  void aClosedSenderLeavesNoListenerOnAConnectionThatOthersUse() throws Exception {
    List<Object> listeners = new CopyOnWriteArrayList<>();
    try (Connection connection = Exchange.factory().newConnection()) {
      InvocationHandler lending =
          (proxy, method, arguments) -> {
            Object result =
                method.getName().equals("abort") ? null : method.invoke(connection, arguments);
            if (method.getName().equals("addBlockedListener")) {
              listeners.add(result);
            } else if (method.getName().equals("removeBlockedListener")) {
              listeners.remove(arguments[0]);
            }
            return result;
          };
      Connection lent =
          (Connection)
              Proxy.newProxyInstance(
                  Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, lending);
      try (RabbitSender borrowing = RabbitSender.using(() -> lent, LIMIT)) {
        assertThat(outcome(borrowing.send(message("1")))).isNull();
        assertThat(listeners).hasSize(1);
      }
      assertThat(listeners).isEmpty();
    }
  }

  @Test
  void aMessageThatReachesNoQueueFailsAlone() throws Exception {
    List<Throwable> outcomes =
        outcomes(
            List.of(
                sender.send(message("", exchange.queue(), Map.of(), "1")),
                sender.send(message("", exchange.queue(), Map.of(), "2")),
                sender.send(message("", "no-such-queue", Map.of(), "lost")),
                sender.send(message("", exchange.queue(), Map.of(), "3"))));

    assertThat(outcomes).element(2).isNotNull();
    assertThat(outcomes.get(2))
        .isNotInstanceOf(DestinationDownException.class)
        .isNotInstanceOf(RefusedException.class)
        .hasMessageContaining("exchange \"\" with routing key \"no-such-queue\"");
    assertThat(outcomes).filteredOn(failure -> failure != null).hasSize(1);
    assertThat(texts(3)).containsExactlyInAnyOrder("1", "2", "3"); // senders keep no order
  }

  @Test
  @EnabledIf("brokerIsRabbitMq") // the stand-in has no such queues
  void aMessageThatAQueueRejectsFailsAlone() throws Exception {
    Exchange full = Exchange.create(Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
    assertThat(outcome(message(full.name(), null, Map.of(), "1"))).isNull();

    CompletionStage<?> before = sender.send(message("before"));
    CompletionStage<?> rejected = sender.send(message(full.name(), null, Map.of(), "2"));
    CompletionStage<?> after = sender.send(message("after"));

    assertThat(outcome(rejected))
        .isNotInstanceOf(DestinationDownException.class)
        .isNotInstanceOf(RefusedException.class)
        .hasMessageContaining("nack")
        .hasMessageContaining(full.name());
    assertThat(outcomes(List.of(before, after))).containsOnlyNulls();
    assertThat(texts(2)).containsExactly("before", "after");
    assertThat(full.read(1, LIMIT)).hasSize(1);
  }

  private static Consumer<Throwable> unavailable(String exchange) {
    return failure ->
        assertThat(failure)
            .isInstanceOfSatisfying(
                DestinationDownException.class,
                down -> assertThat(down.destination()).contains(exchange));
  }

  /** Nobody may publish to an internal exchange. */
  @Test
  @EnabledIf("brokerIsRabbitMq")
  void anExchangeThatIsClosedToTheUserIsUnavailableAndTheOthersAreNot() throws Exception {
    String internal = "internal-" + UUID.randomUUID();
    Exchange.run(
        channel -> channel.exchangeDeclare(internal, "fanout", false, false, true, Map.of()));

    CompletionStage<?> before = sender.send(message("before"));
    CompletionStage<?> refused = sender.send(message(internal, null, Map.of(), "x"));
    CompletionStage<?> after = sender.send(message("after"));

    assertThat(outcome(refused))
        .satisfies(unavailable(internal))
        .hasMessageContaining("not authorised to publish to exchange \"" + internal + "\"")
        .hasMessageContaining("the permission \"write\"");
    assertThat(outcomes(List.of(before, after))).containsOnlyNulls();
  }

  @Test
  void anErrorOfTheClientFailsItsOwnMessageOnlyAndTheNextOnesAreSent() throws Exception {
    AtomicInteger published = new AtomicInteger();
    InterceptedChannels.Call failingOnce =
        (channel, method, arguments) -> {
          if (method.getName().equals("basicPublish") && published.incrementAndGet() == 2) {
            throw new NoClassDefFoundError("once");
          }
          return method.invoke(channel, arguments);
        };
    try (RabbitSender failing =
        RabbitSender.using(
            () -> InterceptedChannels.of(Exchange.factory().newConnection(), failingOnce), LIMIT)) {
      assertThat(outcome(failing.send(message("1")))).isNull();
      assertThat(outcome(failing.send(message("2"))))
          .isNotInstanceOf(DestinationDownException.class)
          .hasCauseInstanceOf(NoClassDefFoundError.class);
      assertThat(outcome(failing.send(message("3")))).isNull();
      assertThat(outcome(failing.send(message("4")))).isNull();
    }
    assertThat(texts(3)).containsExactly("1", "3", "4");
  }

  /** The answers about one exchange are held back, as if its queue confirmed nothing. */
  @Test
  void anExchangeThatConfirmsNothingIsUnavailableAndTheConnectionIsKept() throws Exception {
    Exchange stuck = Exchange.create();
    MutableClock clock = new MutableClock();
    AtomicInteger connections = new AtomicInteger();
    try (RabbitSender partlyStuck =
        RabbitSender.using(
            () -> {
              connections.incrementAndGet();
              return InterceptedChannels.silenced(Exchange.factory().newConnection(), stuck.name());
            },
            SHORT,
            clock.ticker())) {
      List<CompletableFuture<?>> waiting = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        waiting.add(
            partlyStuck.send(message(stuck.name(), null, Map.of(), "x")).toCompletableFuture());
      }
      for (int i = 0; i < 10; i++) {
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        clock.advance(SHORT.dividedBy(10));
        assertThat(outcome(partlyStuck.send(message("healthy")))).isNull();
      }

      assertThat(outcomes(waiting))
          .allSatisfy(
              failure ->
                  assertThat(failure)
                      .satisfies(unavailable(stuck.name()))
                      .hasMessageContaining("no answer from RabbitMQ within 500 ms"));
      assertThat(outcome(partlyStuck.send(message("healthy")))).isNull();
      assertThat(connections).hasValue(1);
    }
  }

  @Test
  void whatWaitedForAnExchangeThatConfirmsNothingIsNotPublishedWhenItFails() throws Exception {
    Exchange stuck = Exchange.create();
    MutableClock clock = new MutableClock();
    List<CompletionStage<?>> between = new CopyOnWriteArrayList<>();
    try (RabbitSender partlyStuck =
        RabbitSender.using(
            () -> InterceptedChannels.silenced(Exchange.factory().newConnection(), stuck.name()),
            SHORT,
            clock.ticker())) {
      List<CompletionStage<?>> waiting = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        waiting.add(
            partlyStuck
                .send(message(stuck.name(), null, Map.of(), "x"))
                .whenComplete((any, failure) -> between.add(confirmed(partlyStuck))));
      }
      clock.advance(SHORT.dividedBy(2));
      assertThat(outcome(partlyStuck.send(message("healthy")))).isNull();
      clock.advance(SHORT.dividedBy(2));

      assertThat(outcomes(waiting)).hasOnlyElementsOfType(DestinationDownException.class);
      assertThat(outcomes(between)).hasSize(5).containsOnlyNulls();
    }
    assertThat(stuck.read(1, LIMIT)).as("published").hasSize(1);
  }

  /** When it has its answer, the sender has dealt with all that it was given before. */
  private CompletionStage<?> confirmed(RabbitSender sender) {
    CompletionStage<?> sending = sender.send(message("healthy"));
    try {
      outcome(sending);
    } catch (Exception e) {
      throw new AssertionError("no answer", e);
    }
    return sending;
  }

  @Test
  void aMissingExchangeFailsItsOwnMessagesOnlyAndRepeatsNone() throws Exception {
    List<CompletionStage<?>> others = new ArrayList<>();
    List<CompletionStage<?>> failing = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      others.add(sender.send(message("" + i)));
      if (i % 10 == 5) {
        failing.add(sender.send(message("no-such-exchange", null, Map.of(), "lost")));
      }
    }

    assertThat(outcomes(others)).containsOnlyNulls();
    assertThat(outcomes(failing))
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .satisfies(unavailable("no-such-exchange"))
                    .hasMessageContaining("no exchange \"no-such-exchange\": declare it"));
    assertThat(texts(50)).hasSize(50).doesNotHaveDuplicates();
  }

  @Test
  void anExchangeThatDisappearsFailsItsOwnMessagesOnly() throws Exception {
    Exchange gone = Exchange.create();
    assertThat(outcome(message(gone.name(), null, Map.of(), "1"))).isNull();
    assertThat(outcome(message("first"))).isNull();
    Exchange.run(channel -> channel.exchangeDelete(gone.name()));

    List<CompletionStage<?>> others = new ArrayList<>();
    List<CompletionStage<?>> failing = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      others.add(sender.send(message("" + i)));
      failing.add(sender.send(message(gone.name(), null, Map.of(), "lost")));
    }

    assertThat(outcomes(others)).containsOnlyNulls();
    assertThat(outcomes(failing))
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .satisfies(unavailable(gone.name()))
                    .hasMessageContaining(gone.name()));
    assertThat(texts(51)).contains("first", "0", "25", "49");
  }

  @Test
  void whatTheClientCannotWriteIsRefusedAndTheOthersKeepTheirAnswers() throws Exception {
    assertThat(outcome(message("", exchange.queue(), Map.of(), "0"))).isNull();
    Map<String, String> large = Map.of("large", "x".repeat(500_000));
    List<Throwable> outcomes =
        outcomes(
            List.of(
                sender.send(message("", exchange.queue(), Map.of(), "1")),
                sender.send(message("", exchange.queue(), large, "never")),
                sender.send(message("", "no-such-queue", Map.of(), "lost")),
                sender.send(message("", exchange.queue(), Map.of(), "2"))));

    assertThat(outcomes.get(0)).isNull();
    assertThat(outcomes.get(1)).isInstanceOf(RefusedException.class);
    assertThat(outcomes.get(2)).hasMessageContaining("no-such-queue");
    assertThat(outcomes.get(3)).isNull();
    assertThat(texts(3)).containsExactly("0", "1", "2");
  }

  @Test
  void aRoutingKeyThatIsTooLongIsRefused() {
    assertThat(catchRefused(message(exchange.name(), "ğ".repeat(128), Map.of(), "1")))
        .hasMessageContaining("routing key of 255 bytes at most, but this one has 256");
  }

  private RefusedException catchRefused(Outgoing message) {
    try {
      throw new AssertionError("sent: " + sender.send(message));
    } catch (RefusedException e) {
      return e;
    }
  }

  /** The client's own recovery is on, as it is by default. */
  @Test
  void whatWasConfirmedOnAConnectionThatIsCutIsThere() throws Exception {
    BlockingQueue<Socket> sockets = new LinkedBlockingQueue<>();
    ConnectionFactory factory = Exchange.factory();
    factory.setSocketConfigurator(sockets::add);
    factory.setNetworkRecoveryInterval(1);
    try (RabbitSender recovering = RabbitSender.using(factory::newConnection, LIMIT)) {
      assertThat(outcome(recovering.send(message("first")))).isNull();
      List<CompletionStage<?>> all = new ArrayList<>();
      for (int i = 0; i < 2_000; i++) {
        all.add(recovering.send(message("" + i)));
        if (i == 1_000) {
          sockets.take().close();
        }
      }

      List<Throwable> outcomes = outcomes(all);
      assertThat(outcomes)
          .filteredOn(failure -> failure != null)
          .isNotEmpty()
          .hasOnlyElementsOfType(DestinationDownException.class);
      assertThat(outcome(recovering.send(message("last")))).isNull();
      List<String> confirmed = new ArrayList<>(List.of("first", "last"));
      for (int i = 0; i < outcomes.size(); i++) {
        if (outcomes.get(i) == null) {
          confirmed.add("" + i);
        }
      }
      assertThat(texts(confirmed.size())).containsAll(confirmed);
    }
  }

  @Test
  void whatIsUnderWayOnAConnectionThatIsCutIsDown() throws Exception {
    BlockingQueue<Socket> sockets = new LinkedBlockingQueue<>();
    AtomicInteger written = new AtomicInteger();
    ConnectionFactory factory = Exchange.factory();
    factory.setSocketConfigurator(sockets::add);
    factory.setTrafficListener(countingPublished(written));
    try (RabbitSender cut = RabbitSender.connect(factory, LIMIT)) {
      assertThat(outcome(cut.send(message("first")))).isNull();
      assertThat(outcome(cut.send(message("second")))).isNull();
      Exchange.broker().freeze();
      try {
        CompletionStage<?> sending = cut.send(message("under way"));
        Orders.await(() -> written.get() == 3 && publisherWaits(), () -> "not written");
        sockets.take().close();
        assertThat(outcome(sending)).isInstanceOf(DestinationDownException.class);
      } finally {
        Exchange.broker().thaw();
      }
    }
  }

  private static TrafficListener countingPublished(AtomicInteger published) {
    return new TrafficListener() {
      @Override
      public void write(Command outbound) {
        if (outbound.getMethod() instanceof AMQP.Basic.Publish) {
          published.incrementAndGet();
        }
      }

      @Override
      public void read(Command inbound) {}
    };
  }

  private static boolean publisherWaits() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("posthorn-rabbitmq-publish"))
        .allMatch(thread -> thread.getState() == Thread.State.WAITING);
  }

  @Test
  void aBrokerThatDoesNotAnswerIsDownUntilItDoes() throws Exception {
    MutableClock clock = new MutableClock();
    try (RabbitSender impatient =
        RabbitSender.using(() -> Exchange.factory().newConnection(), SHORT, clock.ticker())) {
      assertThat(outcome(impatient.send(message("first")))).isNull();
      assertThat(outcome(impatient.send(message("second")))).isNull();
      Exchange.broker().freeze();
      try {
        List<CompletionStage<?>> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
          all.add(impatient.send(message("x".repeat(100_000)))); // more than sockets hold
        }
        clock.advance(SHORT);
        assertThat(outcomes(all))
            .hasOnlyElementsOfType(DestinationDownException.class)
            .first()
            .extracting(Throwable::getMessage)
            .isEqualTo("no answer from RabbitMQ within 500 ms");
      } finally {
        Exchange.broker().thaw();
      }

      long end = System.nanoTime() + LIMIT.toNanos();
      while (outcome(impatient.send(message("after"))) != null) {
        assertThat(System.nanoTime()).as("back within " + LIMIT).isLessThan(end);
        clock.advance(SHORT); // a connection that fails is not tried again at once
      }
    }
  }

  @Test
  void whileNothingCanBeReachedItIsNotTriedForEachMessage() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    try (RabbitSender lonely =
        RabbitSender.using(
            () -> {
              tries.incrementAndGet();
              throw new ConnectException("refused");
            },
            LIMIT)) {
      long begun = System.nanoTime();
      for (int i = 0; i < 100; i++) {
        assertThat(outcome(lonely.send(message("" + i))))
            .isInstanceOf(DestinationDownException.class)
            .hasMessageContaining("RabbitMQ cannot be reached: ConnectException, refused");
      }
      long halfSeconds = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun) / 500;
      assertThat((long) tries.get()).isLessThanOrEqualTo(halfSeconds + 1);
    }
  }

  @Test
  void afterItWasClosedItIsDownAndItsThreadsAreGone() throws Exception {
    assertThat(outcome(message("1"))).isNull();
    sender.close();

    assertThat(outcome(message("2"))).isInstanceOf(DestinationDownException.class);
    long end = System.nanoTime() + LIMIT.toNanos();
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith("posthorn-rabbitmq"))) {
      assertThat(System.nanoTime()).as("threads gone within " + LIMIT).isLessThan(end);
    }
    assertThat(texts(1)).containsExactly("1");
  }

  @Test
  @Tag("long")
  @EnabledIf("brokerIsRabbitMq")
  void aBrokerThatIsShortOfMemoryIsDownWithItsReasonUntilItHasSome() throws Exception {
    try (RabbitServer full = new RabbitServer()) {
      full.start();
      ConnectionFactory factory = new ConnectionFactory();
      factory.setUri(full.uri());
      try (RabbitSender blocked = RabbitSender.connect(factory, Duration.ofSeconds(2))) {
        full.closeForPublishers();
        awaitFailure(blocked, "takes no messages at present: low on memory");
        full.openForPublishers();
        awaitFailure(blocked, "has no queue for");
      }
    }
  }

  /** It may notice some messages later. */
  private void awaitFailure(RabbitSender sender, String text) throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    Throwable failure;
    do {
      assertThat(System.nanoTime()).as("told within " + LIMIT).isLessThan(end);
      failure = outcome(sender.send(message("", "no-such-queue", Map.of(), "1")));
      assertThat(failure).isNotNull();
    } while (!failure.getMessage().contains(text));
  }
}
