/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import io.posthorn.jdbc.InboxTable;
import io.posthorn.spi.LoggerSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The cache in front of the table, if there is one. It never fails. */
final class Known {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.inbox");

  private final @Nullable InboxCache cache;
  private final InboxTable table;
  private final Listeners listeners;
  private volatile boolean failing;

  /**
   * @param table of which the cache is
   */
  Known(@Nullable InboxCache cache, InboxTable table, Listeners listeners) {
    this.cache = cache;
    this.table = table;
    this.listeners = listeners;
  }

  /** Those that are known to be handled. */
  Set<String> among(String consumer, Collection<String> ids) {
    InboxCache asked = cache;
    if (asked == null) {
      return Set.of();
    }
    Set<String> known = new HashSet<>(ids);
    String inbox = table.identity();
    known.retainAll(guarded(() -> asked.known(inbox, consumer, ids)));
    listeners.tell(consumer, known.size(), InboxListener::cacheHit);
    listeners.tell(consumer, known.size(), InboxListener::duplicate);
    listeners.tell(consumer, ids.size() - known.size(), InboxListener::cacheMiss);
    return known;
  }

  void remember(String consumer, Collection<String> ids) {
    InboxCache told = cache;
    if (told != null) {
      String inbox = table.identity();
      guarded(
          () -> {
            told.remember(inbox, consumer, ids);
            return Set.of();
          });
    }
  }

  /** Nothing, if it fails. Of failures in a row the first one is logged. */
  private Set<String> guarded(Supplier<Set<String>> call) {
    try {
      Set<String> answer = call.get();
      failing = false;
      return answer;
    } catch (RuntimeException e) {
      LOGGER.log(
          failing ? Level.DEBUG : Level.WARNING,
          "the inbox's cache failed; until it works again the database is asked",
          e);
      failing = true;
      return Set.of();
    }
  }
}
