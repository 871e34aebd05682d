/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.posthorn.servers.RabbitServer;
import io.posthorn.verification.instance.BrokerConsumers;
import io.posthorn.verification.instance.ChaosTables;
import java.util.Map;

/** RabbitMQ. An exchange takes nothing while it does not exist; queues stay. */
record ChaosRabbit(RabbitServer server) implements ChaosBroker {
  private interface Action {
    void on(Channel channel) throws Exception;
  }

  static ChaosRabbit start() throws Exception {
    ChaosRabbit rabbit = new ChaosRabbit(new RabbitServer());
    try {
      rabbit.server.start();
      rabbit.run(
          channel -> {
            for (String queue : ChaosTables.CONSUMERS) {
              channel.queueDeclare(
                  queue, true, false, false, Map.of("x-single-active-consumer", true));
            }
          });
      for (String exchange : BrokerConsumers.destinations()) {
        rabbit.openDestination(exchange);
      }
      return rabbit;
    } catch (Exception e) {
      try (rabbit) {
        throw e;
      }
    }
  }

  private void run(Action action) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(address());
    try (Connection connection = factory.newConnection("harness");
        Channel channel = connection.createChannel()) {
      action.on(channel);
    }
  }

  @Override
  public String address() {
    return server.uri();
  }

  @Override
  public void closeDestination(String name) throws Exception {
    run(channel -> channel.exchangeDelete(name));
  }

  @Override
  public void openDestination(String name) throws Exception {
    run(
        channel -> {
          channel.exchangeDeclare(name, BuiltinExchangeType.FANOUT, true);
          for (String queue : ChaosTables.CONSUMERS) {
            channel.queueBind(queue, name, "");
          }
        });
  }

  @Override
  public void refuseMessages() {
    server.closeForPublishers();
  }

  @Override
  public void takeMessages() {
    server.openForPublishers();
  }
}
