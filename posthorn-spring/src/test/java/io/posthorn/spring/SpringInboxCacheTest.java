/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.ConfigurationException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.cache.CacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;

class SpringInboxCacheTest {
  private final CacheManager manager = new ConcurrentMapCacheManager("inbox");
  private final SpringInboxCache cache = SpringInboxCache.of(manager, "inbox");

  @Test
  void itKnowsWhatItWasTold() {
    cache.remember("in", "warehouse", List.of("m-1", "m-2"));

    assertThat(cache.known("in", "warehouse", List.of("m-0", "m-1", "m-2")))
        .containsExactlyInAnyOrder("m-1", "m-2");
    assertThat(SpringInboxCache.of(manager, "inbox").known("in", "warehouse", List.of("m-1")))
        .containsExactly("m-1");
  }

  @Test
  void keysAreOfConsumerAndMessage() {
    cache.remember("in", "a:b", List.of("c"));

    assertThat(cache.known("in", "a", List.of("b:c", "c"))).isEmpty();
    assertThat(cache.known("in", "warehouse", List.of("c"))).isEmpty();
  }

  @Test
  void inboxesThatShareItKnowNothingOfEachOther() {
    cache.remember("sales", "warehouse", List.of("m-1"));

    assertThat(cache.known("billing", "warehouse", List.of("m-1"))).isEmpty();
  }

  @Test
  void aCacheThatIsNotThereIsTold() {
    assertThatThrownBy(() -> SpringInboxCache.of(manager, "inbux"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("there is no cache \"inbux\"")
        .hasMessageContaining("[inbox]");
  }
}
