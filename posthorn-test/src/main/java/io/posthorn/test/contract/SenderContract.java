/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.DestinationDownException;
import io.posthorn.MessageHeaders;
import io.posthorn.RefusedException;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import io.posthorn.spi.Ticker;
import io.posthorn.test.contract.SenderUnderTest.Received;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a sender must do. A broker joins by extending it.
 *
 * @since 0.1
 */
public abstract class SenderContract {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private SenderUnderTest broker;
  private Sender sender;

  /** A sender with a running broker and an empty destination; called before each test. */
  protected abstract SenderUnderTest open();

  @BeforeEach
  final void openSender() {
    broker = open();
    sender = broker.sender();
  }

  @AfterEach
  final void closeSender() {
    broker.close();
  }

  @SuppressWarnings("NullAway") // it does not find the annotation on the array in a class file
  private Outgoing message(@Nullable String key, byte @Nullable [] payload) {
    UUID id = UUID.randomUUID();
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(MessageHeaders.ID, id.toString());
    headers.put(MessageHeaders.TYPE, "order-placed");
    headers.put("own-header", "ğüş 🎺");
    return new Outgoing(
        id,
        "order-placed",
        broker.destination(),
        null,
        key,
        headers,
        "application/json",
        payload,
        Instant.parse("2026-03-01T12:00:00.123Z"));
  }

  private Outgoing message(@Nullable String key, String payload) {
    return message(key, payload.getBytes(UTF_8));
  }

  /** Also of a sender that throws. */
  private CompletableFuture<?> send(Outgoing message) {
    try {
      return sender.send(message).toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void confirm(CompletableFuture<?> sending)
      throws InterruptedException, ExecutionException, TimeoutException {
    sending.get(sender.timeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  private void confirmAll(List<? extends CompletableFuture<?>> all) throws Exception {
    for (CompletableFuture<?> sending : all) {
      confirm(sending);
    }
  }

  private List<String> payloads(int atLeast) {
    return broker.received(atLeast, LIMIT).stream().map(SenderContract::text).toList();
  }

  private static String text(Received received) {
    byte[] payload = received.payload();
    return payload == null ? "(tombstone)" : new String(payload, UTF_8);
  }

  @Test
  void whatWasConfirmedIsThereWithItsPayloadAndHeaders() throws Exception {
    Outgoing message = message("k", "{\"text\":\"ğüş 🎺\"}");

    confirm(send(message));

    List<Received> received = broker.received(1, LIMIT);
    assertThat(received).hasSize(1);
    assertThat(received.get(0).payload()).isEqualTo(message.payload());
    assertThat(received.get(0).headers()).containsAllEntriesOf(message.headers());
  }

  @Test
  void aMessageWithoutPayloadArrivesAsOneOrEmpty() throws Exception {
    confirm(send(message("k", (byte[]) null)));

    byte[] payload = broker.received(1, LIMIT).get(0).payload();
    if (broker.keepsTombstones()) {
      assertThat(payload).isNull();
    } else {
      assertThat(payload).isEmpty();
    }
  }

  @Test
  void manyAreUnderWayAtOnceAndEachArrivesOnce() throws Exception {
    List<CompletableFuture<?>> all = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      expected.add("n" + i);
      all.add(send(message("k" + i, "n" + i)));
    }

    confirmAll(all);

    assertThat(payloads(1_000)).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void messagesOfAKeyThatWereSentOneAfterTheOtherArriveInOrder() throws Exception {
    for (int i = 0; i < 50; i++) {
      CompletableFuture<?> first = send(message("a", "a" + i));
      CompletableFuture<?> second = send(message("b", "b" + i));
      confirm(first);
      confirm(second);
    }

    Map<Character, List<Integer>> byKey =
        payloads(100).stream()
            .collect(
                groupingBy(
                    text -> text.charAt(0),
                    mapping(text -> Integer.valueOf(text.substring(1)), toList())));
    assertThat(byKey.get('a')).hasSize(50).isSorted();
    assertThat(byKey.get('b')).hasSize(50).isSorted();
  }

  @Test
  void aMessageThatIsNeverTakenIsRefusedAloneAndForGood() throws Exception {
    Outgoing refused = broker.refused().orElse(null);
    if (refused == null) {
      return;
    }
    List<CompletableFuture<?>> others = new ArrayList<>();
    others.add(send(message("k", "before")));
    CompletableFuture<?> sending = send(refused);
    others.add(send(message("l", "beside")));

    assertThatThrownBy(() -> confirm(sending)).hasCauseInstanceOf(RefusedException.class);
    confirmAll(others);
    confirm(send(message("k", "after")));
    assertThat(payloads(3)).containsExactlyInAnyOrder("before", "beside", "after");
  }

  @Test
  void aBrokerThatIsAwayIsReportedAsDown() throws Exception {
    sender = broker.impatientSender();
    confirm(send(message("k", "before")));
    broker.interrupt();
    try {
      assertThatThrownBy(() -> confirm(send(message("k", "meanwhile"))))
          .hasCauseInstanceOf(DestinationDownException.class);
    } finally {
      broker.restore();
    }
  }

  @Test
  void itGoesOnByItselfWhenTheBrokerIsBack() throws Exception {
    sender = broker.impatientSender();
    confirm(send(message("k", "before")));
    broker.interrupt();
    assertThatThrownBy(() -> confirm(send(message("k", "meanwhile"))))
        .hasCauseInstanceOf(DestinationDownException.class);
    broker.restore();

    Ticker ticker = Ticker.system();
    long begun = ticker.nanos();
    while (!confirmed(send(message("k", "after")))) {
      assertThat(ticker.nanos() - begun).as("back within " + LIMIT).isLessThan(LIMIT.toNanos());
    }

    assertThat(payloads(2)).startsWith("before").contains("after");
  }

  /** Anything but "down" is no answer of a broker that is about to come back. */
  private boolean confirmed(CompletableFuture<?> sending) throws Exception {
    try {
      confirm(sending);
      return true;
    } catch (ExecutionException e) {
      assertThat(e).hasCauseInstanceOf(DestinationDownException.class);
      return false;
    }
  }

  @Test
  void whatWasConfirmedBeforeTheBrokerWentAwayIsNotLost() throws Exception {
    List<CompletableFuture<?>> all = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      expected.add("n" + i);
      all.add(send(message("k" + i, "n" + i)));
    }
    confirmAll(all);

    broker.interrupt();
    broker.restore();

    assertThat(payloads(200)).containsExactlyInAnyOrderElementsOf(expected);
  }
}
