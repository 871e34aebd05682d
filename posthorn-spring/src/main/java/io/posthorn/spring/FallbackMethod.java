/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A fallback method without mistakes of its own.
 *
 * @param handler the name of its handler or of the handler's method; empty: any with its payload
 *     class
 */
record FallbackMethod(BeanMethod method, MethodParameters parameters, String handler) {

  /**
   * @param problems gets all that is wrong; then the result is empty
   */
  static Optional<FallbackMethod> read(
      BeanMethod method, OutboxFallback settings, List<String> problems) {
    List<String> found = new ArrayList<>();
    Optional<MethodParameters> parameters =
        MethodParameters.of(
            method, "fallback method", List.of(Delivery.class, Throwable.class), found);
    if (parameters.filter(MethodParameters::batch).isPresent()) {
      found.add(
          "fallback method %s takes a Batch, but a fallback gets one message at a time; let it take the payload"
              .formatted(method));
    }
    if (method.method().getReturnType() != void.class) {
      found.add("fallback method %s must return nothing".formatted(method));
    }
    String handler =
        new AnnotationTexts(method.beans(), found)
            .resolve("handler of fallback method " + method, settings.handler());
    problems.addAll(found);
    return found.isEmpty()
        ? parameters.map(taken -> new FallbackMethod(method, taken, handler))
        : Optional.empty();
  }

  boolean isNamed() {
    return !handler.isEmpty();
  }

  /** Whether it names this handler. */
  boolean names(HandlerMethod other) {
    return handler.equals(other.name().handler())
        || handler.equals(other.method().method().getName());
  }

  boolean fits(HandlerMethod other) {
    return parameters.payloadClass() == other.parameters().payloadClass()
        && (!isNamed() || names(other));
  }

  void call(@Nullable Object payload, Delivery delivery, Throwable cause) throws Exception {
    method.call(parameters.arguments(payload, delivery, cause));
  }
}
