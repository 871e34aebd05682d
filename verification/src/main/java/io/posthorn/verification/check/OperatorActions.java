/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.history.Intervention;
import io.posthorn.verification.history.Intervention.Kind;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.history.Sent;
import io.posthorn.verification.history.Truth;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What operators may have done to a message. */
final class OperatorActions {
  private final Map<UUID, Truth.Committed> committed;
  private final Map<UUID, List<Intervention>> byMessage = new HashMap<>();
  private final Map<String, List<Intervention>> byKey = new HashMap<>();
  private final List<Intervention> wide = new ArrayList<>();
  private final BiPredicate<Receiver, Sent> mayHaveDied;

  /**
   * @param mayHaveDied whether a message can have been a dead letter: of all those of a handler,
   *     only these can be retried
   */
  OperatorActions(
      List<Intervention> all,
      Map<UUID, Truth.Committed> committed,
      BiPredicate<Receiver, Sent> mayHaveDied) {
    this.committed = committed;
    this.mayHaveDied = mayHaveDied;
    for (Intervention action : all) {
      UUID id = action.target().id();
      String key = action.target().key();
      if (id != null) {
        byMessage.computeIfAbsent(id, any -> new ArrayList<>()).add(action);
      } else if (key != null) {
        byKey.computeIfAbsent(key, any -> new ArrayList<>()).add(action);
      } else {
        wide.add(action);
      }
    }
  }

  /** Whether something of these kinds was done that may concern the message at this handler. */
  boolean did(Receiver receiver, Sent message, Set<Kind> kinds) {
    return count(receiver, message, kinds) > 0;
  }

  long count(Receiver receiver, Sent message, Set<Kind> kinds) {
    Truth.Committed known = committed.get(message.id());
    return known == null
        ? 0
        : of(message)
            .filter(action -> kinds.contains(action.kind()) && action.concerns(receiver, known))
            .filter(action -> !retriesAll(action) || wasDead(receiver, message))
            .count();
  }

  /** The same for what was under way at some time in this span. */
  boolean didBetween(Receiver receiver, Sent message, Set<Kind> kinds, long from, long to) {
    return of(message)
        .anyMatch(
            action ->
                kinds.contains(action.kind())
                    && action.target().covers(receiver, message)
                    && action.askedAt() <= to
                    && action.endedAt() >= from);
  }

  private static boolean retriesAll(Intervention action) {
    return action.kind() == Kind.RETRY
        && action.target().id() == null
        && action.target().key() == null;
  }

  private boolean wasDead(Receiver receiver, Sent message) {
    return mayHaveDied.test(receiver, message) || did(receiver, message, EnumSet.of(Kind.SKIP));
  }

  /** All that may concern it, for its story. */
  List<Intervention> concerning(Truth.@Nullable Committed message) {
    return message == null
        ? List.of()
        : of(message.sent())
            .filter(
                action ->
                    Stream.of(Receiver.values())
                        .anyMatch(receiver -> action.concerns(receiver, message)))
            .toList();
  }

  private Stream<Intervention> of(Sent message) {
    String key = message.key();
    return Stream.of(
            byMessage.getOrDefault(message.id(), List.of()),
            key == null ? List.<Intervention>of() : byKey.getOrDefault(key, List.of()),
            wide)
        .flatMap(List::stream);
  }
}
