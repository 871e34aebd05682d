/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A smoke figure, not a benchmark: messages a second to drain a backlog on PostgreSQL, beside a
 * loop written by hand (select a batch, delete it) on the same server.
 */
public final class DrainFigures {
  private static final int BATCH = 1_000;
  private static final String PAYLOAD = "{\"text\":\"" + "x".repeat(439) + "\"}";

  private DrainFigures() {}

  public static void main(String[] arguments) throws Exception {
    int messages = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 100_000;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 3;
    try (PostgresServer server = PostgresServer.newest()) {
      server.start();
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(server.jdbcUrl());
      config.setMaximumPoolSize(12);
      try (HikariDataSource dataSource = new HikariDataSource(config)) {
        JdbcMessageStore.builder(dataSource).createTables(true).build().open();
        for (int round = 0; round < rounds; round++) {
          publish(dataSource, messages);
          long byHand = drainByHand(dataSource);
          publish(dataSource, messages);
          long byPosthorn = drainByPosthorn(dataSource, messages);
          System.out.printf(
              Locale.ROOT,
              "drain %,d: by hand %,d/s, posthorn %,d/s, ratio %.2f%n",
              messages,
              perSecond(messages, byHand),
              perSecond(messages, byPosthorn),
              (double) byHand / byPosthorn);
        }
      }
    }
  }

  private static long perSecond(int messages, long nanos) {
    return messages * TimeUnit.SECONDS.toNanos(1) / nanos;
  }

  private static void publish(HikariDataSource dataSource, int messages) throws Exception {
    JdbcTransactions transactions = new JdbcTransactions(dataSource);
    Posthorn posthorn = Posthorn.publishOnly(JdbcMessageStore.on(dataSource), transactions).build();
    for (int from = 0; from < messages; from += BATCH) {
      List<Message> batch = new ArrayList<>();
      for (int i = from; i < Math.min(messages, from + BATCH); i++) {
        batch.add(Message.of("measured").key("key-" + i % 1_000).payload(PAYLOAD).build());
      }
      transactions.run(connection -> posthorn.outbox().publishAll(batch));
    }
    try (Connection connection = dataSource.getConnection();
        Statement vacuum = connection.createStatement()) {
      vacuum.execute("VACUUM ANALYZE outbox_message");
      vacuum.execute("CHECKPOINT");
    }
  }

  private static long drainByHand(HikariDataSource dataSource) throws Exception {
    long begun = System.nanoTime();
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      while (true) {
        List<Object> seqs = new ArrayList<>();
        List<Object> partitions = new ArrayList<>();
        try (PreparedStatement read =
                connection.prepareStatement(
                    "SELECT partition_no, seq, id, type, message_key, headers, payload, created_at FROM outbox_message ORDER BY partition_no, seq LIMIT "
                        + BATCH);
            ResultSet rows = read.executeQuery()) {
          while (rows.next()) {
            partitions.add(rows.getShort(1));
            seqs.add(rows.getLong(2));
            if (rows.getBytes(7).length == 0) {
              throw new IllegalStateException("empty payload");
            }
          }
        }
        if (seqs.isEmpty()) {
          connection.commit();
          return System.nanoTime() - begun;
        }
        try (PreparedStatement delete =
            connection.prepareStatement(
                "DELETE FROM outbox_message m USING unnest(?::smallint[], ?::bigint[]) AS d(p, s) WHERE m.partition_no = d.p AND m.seq = d.s")) {
          delete.setArray(1, connection.createArrayOf("smallint", partitions.toArray()));
          delete.setArray(2, connection.createArrayOf("bigint", seqs.toArray()));
          delete.executeUpdate();
        }
        connection.commit();
      }
    }
  }

  private static long drainByPosthorn(HikariDataSource dataSource, int messages) throws Exception {
    AtomicLong handled = new AtomicLong();
    Posthorn posthorn =
        Posthorn.inOneProcess(JdbcMessageStore.on(dataSource), new JdbcTransactions(dataSource))
            .handler(
                "measure",
                "measured",
                byte[].class,
                (payload, delivery) -> handled.incrementAndGet())
            .build();
    long begun = System.nanoTime();
    posthorn.start();
    try {
      while (posthorn.relay().status().counts().settled() < messages) {
        if (System.nanoTime() - begun > TimeUnit.MINUTES.toNanos(2)) {
          throw new IllegalStateException(handled + " handled, " + posthorn.relay().status());
        }
        LockSupport.parkNanos(200_000);
      }
      return System.nanoTime() - begun;
    } finally {
      posthorn.stop(Duration.ofSeconds(10));
      if (handled.get() != messages) {
        System.out.println("handled " + handled.get() + " of " + messages);
      }
    }
  }
}
