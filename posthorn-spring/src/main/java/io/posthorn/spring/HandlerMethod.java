/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.HandlerSpec;
import io.posthorn.OutboxMessage;
import io.posthorn.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A handler method without mistakes.
 *
 * @param types at least one
 */
record HandlerMethod(
    BeanMethod method,
    OutboxHandler settings,
    MethodParameters parameters,
    HandlerName name,
    List<String> types,
    Optional<Duration> timeLimit) {
  private static final int BATCH_SIZE = 100;

  HandlerMethod {
    types = List.copyOf(types);
  }

  /**
   * @param problems gets all that is wrong; then the result is empty
   */
  static Optional<HandlerMethod> read(
      BeanMethod method, OutboxHandler settings, List<String> problems) {
    List<String> found = new ArrayList<>();
    Optional<MethodParameters> parameters =
        MethodParameters.of(method, "handler method", List.of(Delivery.class), found);
    parameters.ifPresent(taken -> checkBatch(method, settings, taken, found));
    checkReturn(method, parameters.map(MethodParameters::batch).orElse(false), found);
    if (settings.concurrency() < 0) {
      found.add(
          "concurrency of handler method %s was %d but must be at least 1, or 0 for the relay's"
              .formatted(method, settings.concurrency()));
    }
    AnnotationTexts texts = new AnnotationTexts(method.beans(), found);
    List<String> types =
        types(method, settings, texts, parameters.map(MethodParameters::payloadClass));
    parameters
        .filter(taken -> types.isEmpty())
        .ifPresent(taken -> found.add(noType(method, taken.payloadClass())));
    Optional<Duration> timeLimit = timeLimit(method, settings, texts, found);
    HandlerName name =
        HandlerName.of(
            texts.resolve("outbox of handler method " + method, settings.outbox()),
            texts.resolve("name of handler method " + method, settings.name()),
            method);
    problems.addAll(found);
    return found.isEmpty()
        ? parameters.map(
            taken -> new HandlerMethod(method, settings, taken, name, types, timeLimit))
        : Optional.empty();
  }

  private static void checkBatch(
      BeanMethod method, OutboxHandler settings, MethodParameters taken, List<String> problems) {
    if (taken.batch() && settings.transactional()) {
      problems.add(
          "handler method %s takes a Batch and is transactional; choose one".formatted(method));
    }
    if (taken.batch() && settings.batchSize() < 0) {
      problems.add(
          "batchSize of handler method %s was %d but must be at least 1, or 0 for %d"
              .formatted(method, settings.batchSize(), BATCH_SIZE));
    }
    if (!taken.batch() && settings.batchSize() != 0) {
      problems.add(
          "handler method %s sets batchSize but takes one message at a time; let it take Batch<%s>, or leave batchSize out"
              .formatted(method, taken.payloadClass().getSimpleName()));
    }
  }

  private static void checkReturn(BeanMethod method, boolean batch, List<String> problems) {
    Class<?> returned = method.method().getReturnType();
    if (returned != void.class && (batch || !DeliveryResult.class.isAssignableFrom(returned))) {
      problems.add(
          "handler method %s returns %s; it must return nothing%s"
              .formatted(
                  method,
                  returned.getSimpleName(),
                  batch ? " and decide by Batch.decide" : " or a DeliveryResult"));
    }
  }

  private static List<String> types(
      BeanMethod method,
      OutboxHandler settings,
      AnnotationTexts texts,
      Optional<Class<?>> payloadClass) {
    if (settings.type().length > 0) {
      return Arrays.stream(settings.type())
          .map(type -> texts.resolve("type of handler method " + method, type))
          .toList();
    }
    return payloadClass
        .map(annotated -> annotated.getAnnotation(OutboxMessage.class))
        .map(message -> List.of(message.type()))
        .orElse(List.of());
  }

  private static String noType(BeanMethod method, Class<?> payloadClass) {
    return "handler method %s has no message type; set it by @OutboxHandler(type = …), or by @OutboxMessage(type = …) on %s"
        .formatted(method, payloadClass.getTypeName());
  }

  private static Optional<Duration> timeLimit(
      BeanMethod method, OutboxHandler settings, AnnotationTexts texts, List<String> problems) {
    if (settings.timeLimit().isEmpty()) {
      return Optional.empty();
    }
    String where = "timeLimit of handler method " + method;
    Optional<Duration> limit = texts.duration(where, settings.timeLimit());
    if (limit.filter(Duration::isZero).isPresent()) {
      problems.add(where + " was 0s but must be longer");
    }
    return limit;
  }

  HandlerSpec<?> spec(@Nullable RetryPolicy retry, @Nullable FallbackMethod fallback) {
    return spec(parameters.payloadClass(), retry, fallback);
  }

  private <P> HandlerSpec<P> spec(
      Class<P> payloadClass, @Nullable RetryPolicy retry, @Nullable FallbackMethod fallback) {
    HandlerSpec<P> spec = bare(payloadClass).lanePolicy(settings.lanePolicy());
    for (String type : types) {
      spec = spec.alsoType(type);
    }
    if (settings.concurrency() > 0) {
      spec = spec.concurrency(settings.concurrency());
    }
    if (settings.transactional()) {
      spec = spec.transactional();
    }
    if (timeLimit.isPresent()) {
      spec = spec.timeLimit(timeLimit.get());
    }
    if (retry != null) {
      spec = spec.retry(retry);
    }
    return fallback == null ? spec : spec.fallback(fallback::call);
  }

  private <P> HandlerSpec<P> bare(Class<P> payloadClass) {
    String type = types.get(0);
    if (parameters.batch()) {
      int size = settings.batchSize() == 0 ? BATCH_SIZE : settings.batchSize();
      return HandlerSpec.batch(
          name.handler(), type, payloadClass, size, batch -> method.call(new Object[] {batch}));
    }
    return method.method().getReturnType() == void.class
        ? HandlerSpec.of(name.handler(), type, payloadClass, this::call)
        : HandlerSpec.deciding(name.handler(), type, payloadClass, this::decide);
  }

  private void call(@Nullable Object payload, Delivery delivery) throws Exception {
    method.call(parameters.arguments(payload, delivery, null));
  }

  @SuppressWarnings("NullAway") // of a method that returns null the relay itself tells
  private DeliveryResult decide(@Nullable Object payload, Delivery delivery) throws Exception {
    return (DeliveryResult) method.call(parameters.arguments(payload, delivery, null));
  }
}
