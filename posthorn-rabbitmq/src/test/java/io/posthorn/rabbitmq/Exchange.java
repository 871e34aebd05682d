/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.posthorn.servers.AmqpServer;
import io.posthorn.servers.QpidServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** An exchange with a queue that gets everything, and what was in it. */
final class Exchange {
  static final int MAX_MESSAGE_BYTES = 1_000_000;

  private final String name = "exchange-" + UUID.randomUUID();
  private final List<GetResponse> read = new ArrayList<>();

  /** Does something with a channel. */
  @FunctionalInterface
  interface Action {
    void on(Channel channel) throws Exception;
  }

  private Exchange() {}

  /** The broker of this JVM; the first call starts it. */
  static AmqpServer broker() {
    Shared.SERVER.start();
    return Shared.SERVER;
  }

  private static final class Shared {
    static final AmqpServer SERVER = choose();

    /** RabbitMQ if it is installed; -Dposthorn.test.qpid=true takes the stand-in all the same. */
    private static AmqpServer choose() {
      AmqpServer chosen =
          Boolean.getBoolean("posthorn.test.qpid") ? new QpidServer() : AmqpServer.installed();
      report("AMQP broker of the tests: " + chosen.product());
      return chosen.withMaxMessageBytes(MAX_MESSAGE_BYTES);
    }

    private static void report(String line) {
      System.out.println(line);
      try {
        Files.writeString(Path.of("target", "amqp-broker.txt"), line + "\n");
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  static ConnectionFactory factory() {
    try {
      ConnectionFactory factory = new ConnectionFactory();
      factory.setUri(broker().uri());
      return factory;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  static void run(Action action) {
    try (Connection connection = factory().newConnection();
        Channel channel = connection.createChannel()) {
      action.on(channel);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** With a quorum queue if the broker has them. */
  static Exchange create() {
    return create(broker().hasQuorumQueues() ? Map.of("x-queue-type", "quorum") : Map.of());
  }

  static Exchange create(Map<String, Object> queueArguments) {
    Exchange exchange = new Exchange();
    run(
        channel -> {
          channel.exchangeDeclare(exchange.name, "topic", true);
          channel.queueDeclare(exchange.queue(), true, false, false, queueArguments);
          channel.queueBind(exchange.queue(), exchange.name, "#");
        });
    return exchange;
  }

  String name() {
    return name;
  }

  String queue() {
    return name + "-queue";
  }

  /**
   * Everything that has been in the queue, in order.
   *
   * @param atLeast how many to wait for, within the limit
   */
  List<GetResponse> read(int atLeast, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    run(
        channel -> {
          while (take(channel) || (read.size() < atLeast && System.nanoTime() < end)) {
            Thread.onSpinWait();
          }
        });
    return List.copyOf(read);
  }

  private boolean take(Channel channel) throws IOException {
    GetResponse next = channel.basicGet(queue(), true);
    if (next != null) {
      read.add(next);
    }
    return next != null;
  }

  static String text(GetResponse message) {
    return new String(message.getBody(), UTF_8);
  }
}
