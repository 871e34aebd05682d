/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox.example;

import io.posthorn.inbox.Inbox;
import io.posthorn.inbox.KafkaMessageId;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.jdbc.JdbcTransactions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The code of docs/inbox.md, so that it compiles. */
record Warehouse(DataSource dataSource, Consumer<String, Order> consumer, Stock stock) {
  record Order(String item) {}

  record Parcel(Order order) {}

  /** Works in the thread's transaction. */
  interface Stock {
    void take(Order order);

    void takeAll(List<ConsumerRecord<String, Order>> records);

    Parcel pack(Order order);
  }

  Optional<Parcel> receive(String messageId, Order order, Duration timeout) {
    // docs:begin
    JdbcTransactions transactions = new JdbcTransactions(dataSource);
    Inbox inbox = Inbox.on(InboxTable.on(dataSource), transactions);

    inbox.once("warehouse", messageId, () -> stock.take(order)); // true if it was run
    Optional<Parcel> parcel = inbox.callOnce("packing", messageId, () -> stock.pack(order));

    for (ConsumerRecord<String, Order> record : consumer.poll(timeout)) {
      inbox.once("warehouse", KafkaMessageId.of(record), () -> stock.take(record.value()));
    }
    inbox.onceEach(
        "warehouse", consumer.poll(timeout), KafkaMessageId::of, records -> stock.takeAll(records));
    // docs:end
    return parcel;
  }
}
