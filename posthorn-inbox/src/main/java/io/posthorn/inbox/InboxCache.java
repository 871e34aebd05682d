/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import java.util.Collection;
import java.util.Set;

/**
 * Remembers what was handled, to save looks at the database. It may forget at any time, but must
 * never make anything up: what it knows is passed over unseen. A failure of the cache is logged and
 * taken for not knowing. Safe to share between threads.
 *
 * @since 0.1
 */
public interface InboxCache {
  /**
   * Those of the messages that the consumer has handled, as far as is known.
   *
   * @param inbox tells inboxes apart that share a cache, on whatever databases they are
   */
  Set<String> known(String inbox, String consumer, Collection<String> messageIds);

  /**
   * Learns what a consumer has handled, after that was committed.
   *
   * @param inbox tells inboxes apart that share a cache, on whatever databases they are
   */
  void remember(String inbox, String consumer, Collection<String> messageIds);
}
