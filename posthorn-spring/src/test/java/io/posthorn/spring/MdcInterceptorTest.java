/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.MutableClock;
import io.posthorn.test.StepRunner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class MdcInterceptorTest {
  private final MutableClock clock = new MutableClock();
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final StepRunner steps = new StepRunner();
  private final List<Map<String, String>> seen = new ArrayList<>();
  private Posthorn posthorn;

  @BeforeEach
  void clear() {
    MDC.clear();
  }

  @AfterEach
  void stop() {
    posthorn.close();
    MDC.clear();
  }

  private void start(Consumer<Posthorn.Builder> settings) {
    Posthorn.Builder builder =
        Posthorn.inOneProcess(new InMemoryStore(clock, 1), transactions)
            .clock(clock)
            .ticker(clock.ticker())
            .dutyRunner(steps)
            .relay(relay -> relay.executor(Runnable::run))
            .interceptor(new MdcInterceptor());
    settings.accept(builder);
    posthorn = builder.start();
  }

  private void noteEach(Posthorn.Builder builder) {
    builder.handler("h", "t", String.class, (text, delivery) -> seen.add(mdc()));
  }

  private static Map<String, String> mdc() {
    Map<String, String> copy = MDC.getCopyOfContextMap();
    return copy == null ? Map.of() : Map.copyOf(copy);
  }

  private List<UUID> deliver(Message... messages) {
    List<UUID> ids = new ArrayList<>();
    transactions.run(() -> ids.addAll(posthorn.outbox().publishAll(List.of(messages))));
    steps.drain();
    return ids;
  }

  private static Message message(String key, String tenant) {
    return Message.of("t").key(key).tenant(tenant).payload("{}").build();
  }

  @Test
  void lineBreaksInKeysDoNotReachTheLog() { // issue 18, E14
    start(this::noteEach);
    deliver(message("k\n2026-01-01 ERROR forged\r", "a\u2028\tb"));

    assertThat(seen.get(0))
        .containsEntry(MdcInterceptor.KEY, "k\\u000a2026-01-01 ERROR forged\\u000d")
        .containsEntry(MdcInterceptor.TENANT, "a\\u2028\\u0009b");
  }

  @Test
  void theHandlerLogsWithTheMessageInTheMdcAndNothingStays() {
    start(this::noteEach);
    List<UUID> ids = deliver(message("k", "acme"));

    assertThat(seen)
        .containsExactly(
            Map.of(
                "posthorn.messageId", ids.get(0).toString(),
                "posthorn.type", "t",
                "posthorn.key", "k",
                "posthorn.tenant", "acme",
                "posthorn.handler", "h"));
    assertThat(mdc()).isEmpty();
  }

  @Test
  void aMessageThatWasPublishedOnceOnlyIsShownWithItsIdempotencyKey() {
    start(this::noteEach);
    deliver(Message.of("t").idempotencyKey("order-1\nforged").payload("{}").build());

    assertThat(seen.get(0))
        .containsEntry(MdcInterceptor.IDEMPOTENCY_KEY, "order-1\\u000aforged")
        .containsEntry(MdcInterceptor.HANDLER, "h");
  }

  @Test
  void whatAMessageDoesNotHaveIsLeftOut() {
    start(this::noteEach);
    deliver(message("k", "acme"), message(null, null));

    assertThat(seen).hasSize(2);
    assertThat(seen.get(1)).containsOnlyKeys("posthorn.messageId", "posthorn.type", "posthorn.handler");
  }

  @Test
  void whatStoodThereBeforeComesBack() {
    start(this::noteEach);
    MDC.put("posthorn.tenant", "outer");
    MDC.put("request", "r-1");
    deliver(message("k", null));

    assertThat(seen.get(0)).containsEntry("request", "r-1").doesNotContainKey("posthorn.tenant");
    assertThat(mdc()).isEqualTo(Map.of("posthorn.tenant", "outer", "request", "r-1"));
  }

  @Test
  void nothingStaysAfterAHandlerThatThrows() {
    start(
        builder ->
            builder.handler(
                "h",
                "t",
                String.class,
                (text, delivery) -> {
                  seen.add(mdc());
                  throw new IllegalStateException("no");
                }));
    deliver(message("k", "acme"));

    assertThat(seen).hasSize(1);
    assertThat(mdc()).isEmpty();
  }

  // --- batches

  private void inBatches(boolean failing) {
    start(
        builder ->
            builder.handler(
                HandlerSpec.batch(
                    "h",
                    "t",
                    String.class,
                    10,
                    batch -> {
                      seen.add(mdc());
                      if (failing) {
                        throw new IllegalStateException("no");
                      }
                    })));
  }

  @Test
  void ofABatchOnlyWhatAllItsMessagesShareIsShown() {
    inBatches(false);
    deliver(message("k", "acme"), message("l", "acme"), message("k", "acme"));

    assertThat(seen).containsExactly(
            Map.of("posthorn.type", "t", "posthorn.tenant", "acme", "posthorn.handler", "h"));
    assertThat(mdc()).isEmpty();
  }

  @Test
  void aBatchOfOneIsShownAsASingleMessageIs() {
    inBatches(false);
    List<UUID> ids = deliver(message("k", "acme"));

    assertThat(seen)
        .singleElement()
        .satisfies(
            values ->
                assertThat(values)
                    .hasSize(5)
                    .containsEntry("posthorn.messageId", ids.get(0).toString()));
  }

  @Test
  void afterABatchWhatStoodThereBeforeComesBackAlsoIfItThrows() {
    inBatches(true);
    MDC.put("posthorn.tenant", "outer");
    deliver(message("k", "acme"), message("l", "other"));

    assertThat(seen).containsExactly(Map.of("posthorn.type", "t", "posthorn.handler", "h"));
    assertThat(mdc()).isEqualTo(Map.of("posthorn.tenant", "outer"));
  }
}
