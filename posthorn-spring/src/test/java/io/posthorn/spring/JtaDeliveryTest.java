/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.agroal.api.AgroalDataSource;
import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.JdbcMessageStore;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** A relay on a data source of JTA. */
class JtaDeliveryTest {
  private final AgroalDataSource orders = Narayana.database();
  private final AgroalDataSource stock = Narayana.database();
  private final JdbcTemplate sql = new JdbcTemplate(stock);
  private final SpringTransactions transactions = SpringTransactions.on(orders, Narayana.manager());
  private final BlockingQueue<String> mailed = new LinkedBlockingQueue<>();
  private final Posthorn posthorn =
      Posthorn.inOneProcess(JdbcMessageStore.on(orders), transactions)
          .handler(
              HandlerSpec.of("stock", "placed", String.class, this::reserve)
                  .transactional()
                  .retry(RetryPolicy.fixed(Duration.ofMillis(10), 3)))
          .handler("mailer", "reserved", String.class, (item, delivery) -> mailed.add(item))
          .build();

  @AfterEach
  void close() {
    posthorn.close();
    orders.close();
    stock.close();
  }

  /** Fails the first time, when all but the commit is done. */
  private void reserve(String item, Delivery delivery) {
    sql.update("INSERT INTO reservation VALUES (?)", item);
    posthorn.outbox().publish("reserved", item + " in attempt " + delivery.attempt());
    if (delivery.attempt() == 1) {
      throw new IllegalStateException("as planned");
    }
  }

  @Test
  void messagesAreDeliveredAndHandlersMayTakePartInJtaTransactions() throws Exception {
    sql.execute("CREATE TABLE reservation (item varchar(20))");
    posthorn.start();

    new TransactionTemplate(Narayana.manager())
        .executeWithoutResult(status -> posthorn.outbox().publish("placed", "horn"));

    assertThat(mailed.poll(20, TimeUnit.SECONDS)).isEqualTo("horn in attempt 2");
    assertThat(sql.queryForList("SELECT item FROM reservation", String.class))
        .containsExactly("horn");
  }
}
