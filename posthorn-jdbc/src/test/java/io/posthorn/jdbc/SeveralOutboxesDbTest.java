/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin;
import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.jdbc.fixture.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Several outboxes in one process: on several data sources, and with several prefixes on one. */
class SeveralOutboxesDbTest {
  @Test
  void eachDataSourceHasItsOwnOutbox() throws Exception {
    try (TestDatabase orders = TestDatabase.postgres();
        TestDatabase stock = TestDatabase.h2()) {
      JdbcTransactions ofOrders = orders.transactions();
      JdbcTransactions ofStock = stock.transactions();
      List<Delivery> received = new ArrayList<>();
      try (SteppedRelay orderRelay = relay("orders", orders, orders.store(), ofOrders, received);
          SteppedRelay stockRelay = relay("stock", stock, stock.store(), ofStock, received)) {
        List<UUID> ids = new ArrayList<>();
        ofOrders.run(
            order -> {
              ids.add(publish(orderRelay.posthorn(), "orders"));
              ofStock.run(item -> ids.add(publish(stockRelay.posthorn(), "stock")));
            });
        orderRelay.drain();
        assertThat(received).extracting(Delivery::messageId).containsExactly(ids.get(0));
        stockRelay.drain();
        assertThat(received).extracting(Delivery::messageId).containsExactlyElementsOf(ids);
        assertThat(orders.rows().noMessages() && stock.rows().noMessages()).isTrue();
      }
    }
  }

  @Test
  void twoPrefixesOnOneDataSourceAreTwoOutboxes() throws Exception {
    try (TestDatabase database = TestDatabase.postgres()) {
      JdbcTransactions transactions = database.transactions();
      List<Delivery> received = new ArrayList<>();
      JdbcMessageStore first = database.builder().tablePrefix("orders_outbox_").build();
      JdbcMessageStore second =
          database.builder().tablePrefix("stock_outbox_").partitions(8).build();
      try (SteppedRelay one = relay("one", database, first, transactions, received);
          SteppedRelay two = relay("two", database, second, transactions, received)) {
        List<UUID> ids = new ArrayList<>();
        transactions.run(
            connection -> {
              ids.add(publish(one.posthorn(), "one"));
              ids.add(publish(two.posthorn(), "two"));
            });
        two.drain();
        assertThat(received).extracting(Delivery::messageId).containsExactly(ids.get(1));
        one.drain();
        assertThat(received).hasSize(2);
        assertThat(two.posthorn().relay().status().epochs()).hasSize(8);
      }
    }
  }

  @Test
  void keysPausesAndDeadLettersOfTwoOutboxesAreApart() throws Exception {
    try (TestDatabase database = TestDatabase.postgres()) {
      JdbcTransactions transactions = database.transactions();
      List<Delivery> received = new ArrayList<>();
      JdbcMessageStore first = database.builder().tablePrefix("orders_outbox_").build();
      JdbcMessageStore second = database.builder().tablePrefix("stock_outbox_").build();
      try (SteppedRelay one = relay("one", database, first, transactions, received);
          SteppedRelay two = relay("two", database, second, transactions, received)) {
        Message once = Message.of("t").key("k").payload("{}").idempotencyKey("same").build();
        transactions.run(
            connection -> {
              assertThat(one.posthorn().outbox().publishOnce(once).alreadyPublished()).isFalse();
              assertThat(two.posthorn().outbox().publishOnce(once).alreadyPublished()).isFalse();
              two.posthorn()
                  .outbox()
                  .publish(
                      Message.of("t").payload("{}").deliverAfter(Duration.ofSeconds(5)).build());
            });
        one.posthorn().admin().fleet().pauseHandler("h");
        one.drain();
        two.drain();
        assertThat(received).hasSize(1);
        assertThat(two.posthorn().admin().fleet().pauses()).isEmpty();
        assertThat(one.posthorn().admin().deferred().count(Admin.Filter.all()).entries()).isZero();
        assertThat(two.posthorn().admin().deferred().count(Admin.Filter.all()).entries()).isOne();
        one.posthorn().admin().fleet().resumeHandler("h");
        database.clock().advance(Duration.ofSeconds(6));
        one.drain();
        two.drain();
        assertThat(received).hasSize(3);
      }
    }
  }

  private static SteppedRelay relay(
      String name,
      TestDatabase database,
      JdbcMessageStore store,
      JdbcTransactions transactions,
      List<Delivery> received) {
    return new SteppedRelay(
        name,
        store,
        transactions,
        database.clock(),
        builder ->
            builder.handler("h", "t", String.class, (text, delivery) -> received.add(delivery)));
  }

  private static UUID publish(Posthorn posthorn, String key) {
    return posthorn.outbox().publish(Message.of("t").key(key).payload("{}").build());
  }
}
