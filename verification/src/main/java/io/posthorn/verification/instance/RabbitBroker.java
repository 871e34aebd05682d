/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import io.posthorn.rabbitmq.RabbitSender;
import io.posthorn.spi.Sender;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** RabbitMQ, with a queue for each consumer, of whom one at a time is active. */
record RabbitBroker(String uri) implements MessageBroker {
  private static final Duration SEND_PATIENCE = Duration.ofSeconds(3);
  private static final int POLL_MILLIS = 200;
  private static final int MAX_AT_ONCE = 50;
  private static final int HEARTBEAT_SECONDS = 5;
  private static final int CONNECT_MILLIS = 3_000;

  private ConnectionFactory factory() {
    ConnectionFactory factory = new ConnectionFactory();
    try {
      factory.setUri(uri);
    } catch (URISyntaxException | GeneralSecurityException e) {
      throw new IllegalArgumentException("\"" + uri + "\" is no address", e);
    }
    factory.setRequestedHeartbeat(HEARTBEAT_SECONDS);
    factory.setConnectionTimeout(CONNECT_MILLIS);
    factory.setAutomaticRecoveryEnabled(false);
    return factory;
  }

  @Override
  public Sender sender() {
    return RabbitSender.connect(factory(), SEND_PATIENCE);
  }

  @Override
  public Subscription subscribe(String consumer) throws Exception {
    Connection connection = factory().newConnection(consumer);
    try {
      return new Queue(connection, consumer);
    } catch (Exception e) {
      connection.abort(CONNECT_MILLIS);
      throw e;
    }
  }

  private static final class Queue implements Subscription {
    private final Connection connection;
    private final Channel channel;
    private final BlockingQueue<Delivery> arrived = new LinkedBlockingQueue<>();
    private @Nullable Delivery last;

    private Queue(Connection connection, String name) throws Exception {
      this.connection = connection;
      this.channel = connection.createChannel();
      channel.basicQos(MAX_AT_ONCE);
      channel.basicConsume(name, false, (tag, message) -> arrived.add(message), tag -> abort());
    }

    private void abort() {
      connection.abort(CONNECT_MILLIS);
    }

    @Override
    public List<String> poll() throws InterruptedException {
      List<String> ids = new ArrayList<>();
      Delivery next = arrived.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
      while (next != null) {
        ids.add(next.getProperties().getMessageId());
        last = next;
        next = ids.size() < MAX_AT_ONCE ? arrived.poll() : null;
      }
      if (ids.isEmpty() && !channel.isOpen()) {
        throw new IllegalStateException("the channel was closed");
      }
      return ids;
    }

    @Override
    public void acknowledge() throws Exception {
      if (last != null) {
        channel.basicAck(last.getEnvelope().getDeliveryTag(), true);
        last = null;
      }
    }

    @Override
    public void close() {
      abort();
    }
  }
}
