/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.spi.MessageStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A fresh PostgreSQL database for each test, with relays that run step by step and a publisher. */
abstract class OneDatabase {
  static final String TYPE = "order-placed";
  static final String HANDLER = "mailer";

  TestDatabase database;
  JdbcTransactions transactions;
  MessageStore store;
  Posthorn publisher;
  private final List<SteppedRelay> relays = new ArrayList<>();

  @BeforeEach
  void openDatabase() {
    database = TestDatabase.postgres();
    transactions = database.transactions();
    store = database.store();
    publisher = Posthorn.publishOnly(store, transactions).clock(database.clock()).build();
    store.open();
  }

  @AfterEach
  void closeDatabase() {
    relays.forEach(SteppedRelay::close);
    publisher.close();
    database.close();
  }

  /** A relay with one handler that only counts. */
  SteppedRelay relay(String name) {
    return relay(
        name, builder -> builder.handler(HANDLER, TYPE, String.class, (text, delivery) -> {}));
  }

  SteppedRelay relay(String name, Consumer<Posthorn.Builder> settings) {
    return relay(name, store, settings);
  }

  SteppedRelay relay(String name, MessageStore on, Consumer<Posthorn.Builder> settings) {
    SteppedRelay relay = new SteppedRelay(name, on, transactions, database.clock(), settings);
    relays.add(relay);
    return relay;
  }

  /** Publishes one message in a transaction of its own. */
  UUID publish(String key) throws Exception {
    return transactions.call(connection -> publisher.outbox().publish(message(key)));
  }

  List<UUID> publish(String key, int count) throws Exception {
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(publish(key));
    }
    return ids;
  }

  static Message message(String key) {
    return Message.of(TYPE).key(key).payload("{}").build();
  }

  /** Another key of the same partition. */
  static String neighbourOf(String key) {
    return IntStream.range(0, 10_000)
        .mapToObj(i -> "neighbour-" + i)
        .filter(other -> partitionOf(other) == partitionOf(key))
        .findFirst()
        .orElseThrow();
  }

  private static long partitionOf(String key) {
    CRC32 crc = new CRC32();
    crc.update(key.getBytes(StandardCharsets.UTF_8));
    return crc.getValue() % 64;
  }
}
