/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.spi.DeliveryInterceptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class TracingTest {
  private static final UUID ID = UUID.fromString("01990000-0000-7000-8000-000000000001");

  private final Stage stage = new Stage();
  private final TracedProcess shop = stage.shop();
  private final TracedProcess worker = stage.worker();
  private final List<Delivery> received = new ArrayList<>();

  @AfterEach
  void stop() {
    assertThat(shop.nothingIsActive()).isTrue();
    assertThat(worker.nothingIsActive()).isTrue();
    assertThat(MDC.get("traceId")).isNull();
    stage.close();
  }

  private static Message order() {
    return Message.of("order-placed").key("o-1").payload("{}").build();
  }

  private void receiving(Posthorn.Builder builder) {
    builder.handler(
        "mailer", "order-placed", String.class, (text, delivery) -> received.add(delivery));
  }

  private void failingOnce(Posthorn.Builder builder) {
    builder.handler(
        "mailer",
        "order-placed",
        String.class,
        (text, delivery) -> {
          if (!delivery.isRetry()) {
            throw new IllegalStateException("no mail today");
          }
        });
  }

  @Test
  void theHandlerGoesOnWithTheTraceOfThePublisherInAnotherProcess() {
    stage.deliver(
        builder ->
            builder.handler(
                "mailer",
                "order-placed",
                String.class,
                (text, delivery) -> {
                  worker.inSpan("connect", () -> {});
                  Observation.createNotStarted("send", worker.registry()).observe(() -> {});
                }));
    shop.inSpan("POST /orders", () -> stage.publish(order()));
    assertThat(worker.spans()).isEmpty();
    stage.drain();

    SpanData request = shop.span("POST /orders");
    SpanData delivery = worker.span("process order-placed");
    assertThat(delivery.getTraceId()).isEqualTo(request.getTraceId());
    assertThat(delivery.getParentSpanId()).isEqualTo(request.getSpanId());
    assertThat(delivery.getParentSpanContext().isRemote()).isTrue();
    assertThat(delivery.getKind()).isEqualTo(SpanKind.CONSUMER);
    for (String name : List.of("connect", "send")) {
      assertThat(worker.span(name).getTraceId()).isEqualTo(request.getTraceId());
      assertThat(worker.span(name).getParentSpanId()).isEqualTo(delivery.getSpanId());
    }
  }

  @Test
  void publishingMakesNoSpanOfItsOwn() {
    shop.inSpan("POST /orders", () -> stage.publish(order(), order()));

    assertThat(shop.spans()).extracting(SpanData::getName).containsExactly("POST /orders");
  }

  @Test
  void whatAHandlerPublishesIsAChildOfItsDelivery() {
    List<Posthorn> self = new ArrayList<>();
    self.add(
        stage.deliver(
            builder ->
                builder
                    .contextProvider(worker.contextProvider())
                    .handler(
                        "mailer",
                        "order-placed",
                        String.class,
                        (text, delivery) ->
                            stage
                                .transactions()
                                .run(() -> self.get(0).outbox().publish("mail-sent", "{}")))
                    .handler("audit", "mail-sent", String.class, (text, delivery) -> {})));
    shop.inSpan("POST /orders", () -> stage.publish(order()));
    stage.drain();

    SpanData first = worker.span("process order-placed");
    SpanData second = worker.span("process mail-sent");
    assertThat(second.getTraceId()).isEqualTo(shop.span("POST /orders").getTraceId());
    assertThat(second.getParentSpanId()).isEqualTo(first.getSpanId());
  }

  @Test
  void eachAttemptIsASpanOfTheSameTraceAndAFailedOneHasItsError() {
    stage.deliver(this::failingOnce);
    shop.inSpan("POST /orders", () -> stage.publish(order()));
    stage.drain();
    stage.retry();

    SpanData request = shop.span("POST /orders");
    List<SpanData> attempts = worker.spans("process order-placed");
    assertThat(attempts)
        .hasSize(2)
        .extracting(SpanData::getTraceId, SpanData::getParentSpanId)
        .containsOnly(tuple(request.getTraceId(), request.getSpanId()));
    assertThat(attempts).extracting(SpanData::getSpanId).doesNotHaveDuplicates();
    assertThat(attempts)
        .extracting(span -> span.getStatus().getStatusCode())
        .containsExactly(StatusCode.ERROR, StatusCode.UNSET);
    assertThat(attempts.get(0).getStatus().getDescription()).isEqualTo("no mail today");
    assertThat(attempts.get(0).getEvents())
        .extracting(event -> event.getName())
        .containsExactly("exception");
    assertThat(attempts.get(1).getEvents()).isEmpty();
    assertThat(stage.isEmpty()).isTrue();
  }

  @Test
  void spansSayWhatWasDeliveredAndHowItEnded() {
    stage.deliver(this::failingOnce);
    shop.inSpan("POST /orders", () -> stage.publish(order().toBuilder().id(ID).build()));
    stage.drain();
    stage.retry();

    assertThat(worker.spans("process order-placed"))
        .extracting(TracingTest::attributes)
        .containsExactly(attributesOf("error", "1"), attributesOf("success", "2"));
  }

  private static Map<String, Object> attributesOf(String outcome, String attempt) {
    return Map.of(
        "handler",
        "mailer",
        "type",
        "order-placed",
        "outcome",
        outcome,
        "posthorn.messageId",
        ID.toString(),
        "posthorn.key",
        "o-1",
        "posthorn.attempt",
        attempt);
  }

  private static Map<String, Object> attributes(SpanData span) {
    return span.getAttributes().asMap().entrySet().stream()
        .collect(Collectors.toMap(e -> e.getKey().getKey(), Map.Entry::getValue));
  }

  @Test
  void aMessageWithoutATraceHasNoHeadersAndItsDeliveryBeginsATrace() {
    stage.deliver(this::receiving);
    stage.publish(Message.of("order-placed").payload("{}").build());
    shop.inSpan("unrelated", stage::drain);

    assertThat(received).singleElement().extracting(Delivery::headers).isEqualTo(Map.of());
    SpanData delivery = worker.span("process order-placed");
    assertThat(delivery.getParentSpanContext().isValid()).isFalse();
    assertThat(delivery.getTraceId()).isNotEqualTo(shop.span("unrelated").getTraceId());
    assertThat(attributes(delivery)).doesNotContainKey("posthorn.key");
  }

  @Test
  void theTraceIsStoredInTheHeadersOfW3c() {
    stage.deliver(this::receiving);
    shop.inSpan("POST /orders", () -> stage.publish(order()));
    stage.drain();

    SpanData request = shop.span("POST /orders");
    assertThat(received.get(0).headers())
        .containsExactly(
            Map.entry(
                "traceparent", "00-" + request.getTraceId() + "-" + request.getSpanId() + "-01"));
  }

  @Test
  void baggageTravelsWithTheMessage() {
    List<String> found = new ArrayList<>();
    stage.deliver(
        builder ->
            builder.handler(
                "mailer",
                "order-placed",
                String.class,
                (text, delivery) -> found.add(worker.tracer().getBaggage("customer").get())));
    shop.inSpan(
        "POST /orders",
        () -> {
          try (var baggage = shop.tracer().createBaggageInScope("customer", "c-7")) {
            assertThat(baggage.get()).isEqualTo("c-7");
            stage.publish(order());
          }
        });
    stage.drain();

    assertThat(found).containsExactly("c-7");
  }

  @Test
  void aTraceSetByHandIsNotMixedWithTheActiveOne() {
    String byHand = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    stage.deliver(this::receiving);
    shop.inSpan(
        "POST /orders",
        () -> {
          try (var baggage = shop.tracer().createBaggageInScope("customer", "c-7")) {
            assertThat(baggage.get()).isEqualTo("c-7");
            stage.publish(order().toBuilder().header("traceparent", byHand).build());
          }
        });
    stage.drain();

    assertThat(received.get(0).headers()).containsExactly(Map.entry("traceparent", byHand));
    assertThat(worker.span("process order-placed").getParentSpanId()).isEqualTo("b7ad6b7169203331");
  }

  @Test
  void linesThatTheHandlerLogsHaveTheTraceId() {
    List<String> traceIds = new ArrayList<>();
    stage.deliver(
        builder ->
            builder.handler(
                "mailer",
                "order-placed",
                String.class,
                (text, delivery) -> traceIds.add(MDC.get("traceId"))));
    shop.inSpan("POST /orders", () -> stage.publish(order()));
    stage.drain();

    assertThat(traceIds).containsExactly(shop.span("POST /orders").getTraceId());
  }

  @Test
  void aDeliveryThatALaterInterceptorRefusesHasAnErrorAndLeavesNothingActive() {
    stage.deliver(
        builder -> {
          receiving(builder);
          builder.interceptor(
              new DeliveryInterceptor() {
                @Override
                public void before(Delivery delivery) {
                  throw new IllegalStateException("not now");
                }
              });
        });
    shop.inSpan("POST /orders", () -> stage.publish(order()));
    stage.drain();

    assertThat(received).isEmpty();
    assertThat(worker.nothingIsActive()).isTrue();
    assertThat(worker.span("process order-placed").getStatus().getDescription())
        .isEqualTo("not now");
  }

  // --- conventions

  /** Names spans after handlers. */
  private static class HandlerNames extends DefaultDeliveryObservationConvention
      implements GlobalObservationConvention<DeliveryObservationContext> {
    @Override
    public String getContextualName(DeliveryObservationContext context) {
      return context.delivery().handler() + " at work";
    }
  }

  @Test
  void aConventionOfTheRegistryIsUsed() {
    worker.registry().observationConfig().observationConvention(new HandlerNames());
    stage.deliver(this::receiving);
    stage.publish(order());
    stage.drain();

    assertThat(worker.spans()).extracting(SpanData::getName).containsExactly("mailer at work");
  }

  @Test
  void theConventionCanBeReplaced() {
    stage.deliver(
        new ObservationInterceptor(worker.registry(), new HandlerNames()), this::receiving);
    stage.publish(order());
    stage.drain();

    assertThat(worker.spans()).extracting(SpanData::getName).containsExactly("mailer at work");
  }

  @Test
  void aConventionThatThrowsDoesNotKeepTheMessageFromItsHandler() {
    stage.deliver(
        new ObservationInterceptor(
            worker.registry(),
            new DefaultDeliveryObservationConvention() {
              @Override
              public String getContextualName(DeliveryObservationContext context) {
                throw new IllegalStateException("no name");
              }
            }),
        this::receiving);
    stage.publish(order(), order());
    stage.drain();

    assertThat(received).hasSize(2).allMatch(delivery -> !delivery.isRetry());
    assertThat(stage.isEmpty()).isTrue();
    assertThat(worker.spans()).isEmpty();
  }

  @Test
  void withoutARegistryThatObservesMessagesAreDeliveredAllTheSame() {
    stage.deliver(new ObservationInterceptor(ObservationRegistry.NOOP), this::receiving);
    stage.publish(order());
    stage.drain();

    assertThat(received).hasSize(1);
    assertThat(stage.isEmpty()).isTrue();
  }
}
