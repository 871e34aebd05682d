/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A batch of messages with their ids.
 *
 * @param byId in their order; the first one of an id
 * @param repeated how many were left out because their id was there
 * @param problem with the first one without an id; null if all have one
 */
record IdentifiedMessages<M>(
    Map<String, M> byId, int repeated, List<Object> withoutId, @Nullable RuntimeException problem) {

  static <M> IdentifiedMessages<M> of(
      Iterable<? extends M> messages, Function<? super M, String> messageId) {
    Map<String, M> byId = new LinkedHashMap<>();
    List<Object> withoutId = new ArrayList<>();
    RuntimeException problem = null;
    int repeated = 0;
    for (M message : messages) {
      try {
        M earlier = byId.putIfAbsent(Names.requireMessageId(messageId.apply(message)), message);
        repeated += earlier == null ? 0 : 1;
      } catch (RuntimeException e) {
        withoutId.add(message);
        problem = problem == null ? e : problem;
      }
    }
    return new IdentifiedMessages<>(byId, repeated, withoutId, problem);
  }

  void refuseThoseWithoutId(String consumer) {
    if (problem != null) {
      throw new MissingIdException(consumer, withoutId, problem);
    }
  }
}
