/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.test.DeliveryLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A handler that hangs: its lane waits until it really returns, others never wait. */
class HangingHandlerDbTest {
  private final LiveDatabase database = LiveDatabase.onSharedServer();
  private final HikariDataSource pool = database.pool("test", 12);
  private final JdbcTransactions transactions = new JdbcTransactions(pool);
  private final Await await = new Await(database::describe);
  private final CountDownLatch release = new CountDownLatch(1);
  private final List<String> seen = new CopyOnWriteArrayList<>();
  private final DeliveryLog log = new DeliveryLog();
  private final Posthorn posthorn =
      Posthorn.inOneProcess(LiveDatabase.store(pool).build(), transactions)
          .handler(
              HandlerSpec.of("shipping", "order", String.class, this::handle)
                  .concurrency(2)
                  .timeLimit(Duration.ofMillis(200)))
          .listener(log)
          .build();

  @AfterEach
  void stop() {
    release.countDown();
    posthorn.close();
    database.close();
  }

  private void handle(String payload, Delivery delivery) {
    seen.add(payload);
    while (payload.equals("hang") && release.getCount() > 0) {
      try {
        release.await();
      } catch (InterruptedException e) {
        seen.add("interrupted"); // and hangs on
      }
    }
    seen.add(payload + " ended");
  }

  private void publish(String key, String payload) throws Exception {
    transactions.run(
        connection ->
            posthorn.outbox().publish(Message.of("order").key(key).payload(payload).build()));
  }

  @Test
  void itsLaneWaitsUntilItReturnsAndOtherLanesNeverWait() throws Exception {
    posthorn.start();
    publish("k", "hang");
    publish("k", "behind");
    await.until("it is interrupted", () -> seen.contains("interrupted"));
    for (int i = 0; i < 20; i++) {
      publish("other-" + i, "quick-" + i);
    }

    await.until("others are delivered", () -> seen.contains("quick-19 ended"));
    assertThat(seen).doesNotContain("behind");
    release.countDown();
    await.until("all is settled", () -> database.rows().noMessages());

    assertThat(seen).containsSubsequence("hang", "interrupted", "hang ended", "behind");
    assertThat(log.delivered()).hasSize(22);
  }
}
