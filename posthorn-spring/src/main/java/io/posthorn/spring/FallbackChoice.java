/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the fallbacks of the handlers of one bean, and tells of those that belong to none. */
final class FallbackChoice {
  private final List<FallbackMethod> fallbacks;
  private final List<String> problems;
  private final Set<FallbackMethod> used = new HashSet<>();

  FallbackChoice(List<FallbackMethod> fallbacks, List<String> problems) {
    this.fallbacks = fallbacks;
    this.problems = problems;
  }

  /** Null if there is none. One that names the handler goes before the others. */
  @Nullable FallbackMethod of(HandlerMethod handler) {
    List<FallbackMethod> fitting =
        fallbacks.stream().filter(fallback -> fallback.fits(handler)).toList();
    List<FallbackMethod> named = fitting.stream().filter(FallbackMethod::isNamed).toList();
    List<FallbackMethod> chosen = named.isEmpty() ? fitting : named;
    used.addAll(chosen);
    if (chosen.size() > 1) {
      problems.add(
          "handler method %s has two fallbacks, %s and %s; keep one, or name its handler by @OutboxFallback(handler = …)"
              .formatted(handler.method(), chosen.get(0).method(), chosen.get(1).method()));
    }
    return chosen.isEmpty() ? null : chosen.get(0);
  }

  /**
   * Tells of fallbacks that were not chosen.
   *
   * @param handlers all of the bean
   */
  void reportUnused(List<HandlerMethod> handlers) {
    fallbacks.stream()
        .filter(fallback -> !used.contains(fallback))
        .forEach(
            fallback ->
                problems.add(
                    "fallback method %s would never be called: %s"
                        .formatted(fallback.method(), reason(fallback, handlers))));
  }

  private static String reason(FallbackMethod fallback, List<HandlerMethod> handlers) {
    String payload = fallback.parameters().payloadClass().getTypeName();
    if (handlers.stream().anyMatch(fallback::fits)) {
      return "every handler with the payload class %s has one that names it; remove it"
          .formatted(payload);
    }
    if (!fallback.isNamed()) {
      return "no @OutboxHandler method of its bean has the payload class %s; take that of the handler"
          .formatted(payload);
    }
    return handlers.stream()
        .filter(fallback::names)
        .findFirst()
        .map(
            handler ->
                "it takes %s, but %s takes %s; take the same"
                    .formatted(
                        payload,
                        handler.method(),
                        handler.parameters().payloadClass().getTypeName()))
        .orElse(
            "its bean has no @OutboxHandler of the name or method \"%s\"; correct handler, or leave it out"
                .formatted(fallback.handler()));
  }
}
