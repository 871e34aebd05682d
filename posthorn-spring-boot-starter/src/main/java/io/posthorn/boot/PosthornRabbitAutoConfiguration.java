/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.DestinationDownException;
import io.posthorn.rabbitmq.RabbitSender;
import io.posthorn.spi.Sender;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/**
 * Senders to RabbitMQ on the application's connections: that of the only or primary connection
 * factory is named {@code rabbit}, others are named like their beans.
 *
 * @since 0.1
 */
@AutoConfiguration
@ConditionalOnClass({RabbitSender.class, ConnectionFactory.class})
@ConditionalOnProperty(prefix = "posthorn", name = "enabled", matchIfMissing = true)
class PosthornRabbitAutoConfiguration {
  @Bean
  RabbitSenders outboxRabbitSenders(ListableBeanFactory beans) {
    return new RabbitSenders(beans);
  }

  /** Closes those it has made, after the relay has stopped. */
  static final class RabbitSenders implements SenderSource, DisposableBean {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final ListableBeanFactory beans;
    private final List<RabbitSender> made = new CopyOnWriteArrayList<>();

    RabbitSenders(ListableBeanFactory beans) {
      this.beans = beans;
    }

    @Override
    public Map<String, Supplier<Sender>> senders() {
      return SenderSource.forEachBean(beans, ConnectionFactory.class, RABBIT, this::make);
    }

    /** The factory knows when its connection is lost, and then makes another one. */
    private Sender make(ConnectionFactory factory) {
      ConnectionFactory publishing = factory.getPublisherConnectionFactory();
      ConnectionFactory used = publishing == null ? factory : publishing;
      RabbitSender sender = RabbitSender.using(() -> borrowed(used.createConnection()), TIMEOUT);
      made.add(sender);
      return sender;
    }

    private static com.rabbitmq.client.Connection borrowed(Connection connection) {
      com.rabbitmq.client.Connection delegate = connection.getDelegate();
      if (delegate == null) {
        throw new DestinationDownException(
            connection.getClass().getName() + " has no connection of RabbitMQ's client", null);
      }
      return BorrowedConnection.of(delegate);
    }

    @Override
    public void destroy() {
      GuardedStop.eachOnce(made, RabbitSender::close);
    }
  }
}
