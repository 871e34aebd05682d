/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.posthorn.BatchHandler;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class BatchTracingTest {
  private final Stage stage = new Stage();
  private final TracedProcess shop = stage.shop();
  private final TracedProcess worker = stage.worker();

  @AfterEach
  void stop() {
    assertThat(worker.nothingIsActive()).isTrue();
    assertThat(MDC.get("traceId")).isNull();
    stage.close();
  }

  private static Message order(String key) {
    return Message.of("order-placed").key(key).payload("\"" + key + "\"").build();
  }

  private void inBatches(BatchHandler<String> handler) {
    stage.deliver(
        builder ->
            builder.handler(
                HandlerSpec.batch("mailer", "order-placed", String.class, 10, handler)));
  }

  private SpanData delivery(String key) {
    return worker.spans("process order-placed").stream()
        .filter(
            span ->
                span.getAttributes().asMap().entrySet().stream()
                    .anyMatch(
                        attribute ->
                            attribute.getKey().getKey().equals("posthorn.key")
                                && attribute.getValue().equals(key)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void eachMessageOfABatchIsInItsOwnTrace() {
    List<Integer> sizes = new ArrayList<>();
    inBatches(batch -> sizes.add(batch.items().size()));
    shop.inSpan("first", () -> stage.publish(order("a")));
    stage.publish(order("b"));
    shop.inSpan("third", () -> stage.publish(order("c")));
    stage.drain();

    assertThat(sizes).containsExactly(3);
    assertThat(delivery("a").getParentSpanId()).isEqualTo(shop.span("first").getSpanId());
    assertThat(delivery("a").getTraceId()).isEqualTo(shop.span("first").getTraceId());
    assertThat(delivery("c").getParentSpanId()).isEqualTo(shop.span("third").getSpanId());
    assertThat(delivery("c").getTraceId()).isEqualTo(shop.span("third").getTraceId());
    assertThat(delivery("b").getParentSpanContext().isValid()).isFalse();
    assertThat(delivery("b").getTraceId())
        .isNotIn(delivery("a").getTraceId(), delivery("c").getTraceId());
  }

  @Test
  void aBatchHandlerWorksInTheSpanOfTheLastMessage() {
    inBatches(batch -> worker.inSpan("send", () -> {}));
    shop.inSpan("first", () -> stage.publish(order("a")));
    shop.inSpan("second", () -> stage.publish(order("b")));
    stage.drain();

    assertThat(worker.span("send").getParentSpanId()).isEqualTo(delivery("b").getSpanId());
  }

  @Test
  void aMessageDoesNotInheritTheBaggageOfAnotherOneInItsBatch() {
    List<@Nullable String> found = new ArrayList<>();
    inBatches(batch -> found.add(worker.tracer().getAllBaggage().get("customer")));
    shop.inSpan(
        "first",
        () -> {
          try (var baggage = shop.tracer().createBaggageInScope("customer", "c-7")) {
            assertThat(baggage.get()).isEqualTo("c-7");
            stage.publish(order("a"));
          }
        });
    shop.inSpan("second", () -> stage.publish(order("b")));
    stage.drain();

    assertThat(found).hasSize(1).containsOnlyNulls();
  }

  @Test
  void onlyTheMessageThatFailedHasAnError() {
    inBatches(batch -> batch.fail(batch.items().get(0), new IllegalStateException("no mail")));
    stage.publish(order("a"), order("b"));
    stage.drain();

    assertThat(delivery("a").getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(delivery("b").getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
  }

  @Test
  void aBatchThatThrowsLeavesNothingActiveAndIsTriedAgainInTheSameTraces() {
    List<Integer> calls = new ArrayList<>();
    inBatches(
        batch -> {
          calls.add(batch.items().size());
          if (calls.size() == 1) {
            throw new IllegalStateException("no mail");
          }
        });
    shop.inSpan("first", () -> stage.publish(order("a")));
    shop.inSpan("second", () -> stage.publish(order("b")));
    stage.drain();
    assertThat(worker.nothingIsActive()).isTrue();
    stage.retry();

    assertThat(stage.isEmpty()).isTrue();
    List<SpanData> spans = worker.spans("process order-placed");
    assertThat(spans).hasSize(4);
    assertThat(spans)
        .filteredOn(span -> span.getStatus().getStatusCode() == StatusCode.ERROR)
        .extracting(SpanData::getTraceId)
        .containsExactlyInAnyOrder(
            shop.span("first").getTraceId(), shop.span("second").getTraceId());
    assertThat(spans)
        .filteredOn(span -> span.getStatus().getStatusCode() == StatusCode.UNSET)
        .extracting(SpanData::getTraceId)
        .containsExactlyInAnyOrder(
            shop.span("first").getTraceId(), shop.span("second").getTraceId());
  }
}
