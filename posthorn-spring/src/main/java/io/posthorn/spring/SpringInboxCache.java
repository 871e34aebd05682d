/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.util.Objects.requireNonNull;

import io.posthorn.ConfigurationException;
import io.posthorn.inbox.InboxCache;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

/**
 * A cache of Spring's in front of an inbox: Redis, Caffeine, or what else its {@link CacheManager}
 * has. How long entries stay, and how many, is the cache's business. Safe to share between threads.
 *
 * @since 0.1
 */
public final class SpringInboxCache implements InboxCache {
  private final Cache cache;

  /** A cache that is only used for this: its keys are those of the inbox. */
  public SpringInboxCache(Cache cache) {
    this.cache = requireNonNull(cache, "cache");
  }

  /**
   * @throws ConfigurationException if the manager has no cache of this name
   */
  public static SpringInboxCache of(CacheManager manager, String name) {
    Cache cache = manager.getCache(name);
    if (cache == null) {
      throw new ConfigurationException(
          List.of(
              "there is no cache \"%s\" for the inbox; the cache manager has %s"
                  .formatted(name, manager.getCacheNames())));
    }
    return new SpringInboxCache(cache);
  }

  @Override
  public Set<String> known(String inbox, String consumer, Collection<String> messageIds) {
    Set<String> known = new HashSet<>();
    for (String messageId : messageIds) {
      if (cache.get(key(inbox, consumer, messageId)) != null) {
        known.add(messageId);
      }
    }
    return known;
  }

  @Override
  public void remember(String inbox, String consumer, Collection<String> messageIds) {
    messageIds.forEach(messageId -> cache.put(key(inbox, consumer, messageId), true));
  }

  /** The lengths keep apart what would be the same otherwise: "a:b" and "c", "a" and "b:c". */
  private static String key(String inbox, String consumer, String messageId) {
    return "%d:%s:%d:%s:%s"
        .formatted(inbox.length(), inbox, consumer.length(), consumer, messageId);
  }
}
