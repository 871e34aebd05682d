/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Instant;
import java.util.UUID;

/**
 * A publisher, to be run in a JVM of its own: for each line of its standard input, a key, it
 * commits one message, and says which and when. It ends with its standard input.
 */
final class PublisherProcess {
  private PublisherProcess() {}

  public static void main(String[] arguments) throws Exception {
    try (HikariDataSource pool = LiveDatabase.pool(arguments[0], "publisher", 2)) {
      JdbcTransactions transactions = new JdbcTransactions(pool);
      try (Posthorn posthorn =
          Posthorn.publishOnly(LiveDatabase.store(pool).build(), transactions).start()) {
        publishAll(posthorn, transactions);
      }
    }
  }

  private static void publishAll(Posthorn posthorn, JdbcTransactions transactions)
      throws Exception {
    BufferedReader keys = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String key = keys.readLine(); key != null; key = keys.readLine()) {
      Message message = Message.of("order").key(key).payload("x").build();
      UUID id = transactions.call(connection -> posthorn.outbox().publish(message));
      System.out.println(key + " " + Published.now(id).text());
    }
  }

  /** A message, and when its commit had returned. */
  record Published(UUID id, Instant committed) {
    private static Published now(UUID id) {
      return new Published(id, Instant.now());
    }

    String text() {
      return id + " " + committed;
    }

    static Published parse(String text) {
      String[] parts = text.split(" ", -1);
      return new Published(UUID.fromString(parts[0]), Instant.parse(parts[1]));
    }
  }
}
