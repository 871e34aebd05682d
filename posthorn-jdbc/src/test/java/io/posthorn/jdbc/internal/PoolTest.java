/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.ConfigurationException;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import java.time.Duration;
import org.h2.jdbcx.JdbcConnectionPool;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** Whose size is known. Issue 18, "Must hold" 7. */
class PoolTest {
  private static JdbcConnectionPool pool(int size) {
    JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:pool-" + size, "sa", "");
    pool.setMaxConnections(size);
    return pool;
  }

  @Test
  void theSizeOfThePoolOfH2IsKnown() {
    assertThat(Pool.of(pool(10))).contains(new Pool(10));
    assertThat(Pool.of(new JdbcDataSource())).isEmpty();
  }

  @Test
  void onH2TheRelayKeepsThreeOfThemToo() {
    JdbcConnectionPool pool = pool(4);
    try (Posthorn posthorn = relay(pool)) {
      assertThat(posthorn.relay().awaitIdle(Duration.ofSeconds(20))).isTrue();
      long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      while (pool.getActiveConnections() != 3) { // one more while the start ends
        assertThat(System.nanoTime()).isLessThan(end);
        Thread.onSpinWait();
      }
    } finally {
      pool.dispose();
    }
  }

  @Test
  void aPoolOfH2ThatTheRelayWouldUseUpIsRefused() {
    assertThatThrownBy(() -> relay(pool(3)).close())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(
            "the relay keeps 3 connections and the application needs at least one more, but the pool has 3");
  }

  private static Posthorn relay(JdbcConnectionPool pool) {
    return Posthorn.inOneProcess(JdbcMessageStore.on(pool), new JdbcTransactions(pool))
        .handler("h", "t", String.class, (text, delivery) -> {})
        .start();
  }
}
