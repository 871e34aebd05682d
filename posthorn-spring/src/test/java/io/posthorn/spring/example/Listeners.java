/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring.example;

import io.posthorn.spring.OnceOnly;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.transaction.annotation.Transactional;

/** The code of docs/inbox.md for Spring, so that it compiles and runs. */
class Listeners {
  private final Stock stock;
  private final Statistics statistics;
  private final Ledger ledger;

  Listeners(Stock stock, Statistics statistics, Ledger ledger) {
    this.stock = stock;
    this.statistics = statistics;
    this.ledger = ledger;
  }

  record Order(String item) {}

  interface Stock {
    void take(Order order);
  }

  interface Statistics {
    void count(List<ConsumerRecord<String, Order>> records);
  }

  interface Ledger {
    void book(byte[] order);
  }

  // docs:begin
  @OnceOnly(consumer = "warehouse")
  @KafkaListener(topics = "orders", groupId = "warehouse")
  @Transactional
  public void on(ConsumerRecord<String, Order> record) {
    stock.take(record.value());
  }

  @OnceOnly(consumer = "statistics")
  @KafkaListener(topics = "orders", groupId = "statistics", batch = "true")
  public void on(List<ConsumerRecord<String, Order>> records) {
    statistics.count(records); // the new ones
  }

  @OnceOnly(consumer = "billing")
  @RabbitListener(queues = "orders")
  public void on(Message message) {
    ledger.book(message.getBody());
  }
  // docs:end
}
