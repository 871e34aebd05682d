/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static io.posthorn.boot.InboxApplication.CONSUMER;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.Channel;
import io.posthorn.boot.DrawnMessages.Failure;
import io.posthorn.spring.OnceOnly;
import java.io.IOException;
import java.util.List;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.ImmediateRequeueAmqpException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.transaction.annotation.Transactional;

/** The kinds of listener that get messages of RabbitMQ. */
final class RabbitInboxListeners {
  static final List<Class<? extends Listener>> ALL =
      List.of(
          One.class,
          OneTransactional.class,
          OneManual.class,
          OneManualTransactional.class,
          Each.class,
          EachTransactional.class,
          EachManual.class,
          EachManualTransactional.class,
          EachAtOnce.class);

  private RabbitInboxListeners() {}

  /** What all of them do with what they get. */
  abstract static class Listener {
    private final DrawnMessages messages;

    Listener(DrawnMessages messages) {
      this.messages = messages;
    }

    void handle(Message message) {
      Failure failure = messages.handle(new String(message.getBody(), UTF_8));
      if (failure != null) {
        fail(failure);
      }
    }

    private void fail(Failure failure) {
      if (failure == Failure.NOT_AGAIN) {
        throw new AmqpRejectAndDontRequeueException("drawn");
      }
      if (failure == Failure.AGAIN) {
        throw new ImmediateRequeueAmqpException("drawn");
      }
      messages.fail(failure);
    }

    /** Whether it was handled. */
    boolean refuseOrHandle(Message message, Channel channel) throws IOException {
      long tag = message.getMessageProperties().getDeliveryTag();
      Failure failure = messages.handle(new String(message.getBody(), UTF_8));
      if (failure == Failure.REFUSED) {
        channel.basicReject(tag, false);
      } else if (failure == Failure.PUT_BACK) {
        channel.basicNack(tag, false, true);
      } else if (failure != null) {
        fail(failure);
      }
      return failure == null;
    }

    void settle(Message message, Channel channel) throws IOException {
      if (refuseOrHandle(message, channel)) {
        channel.basicAck(message.getMessageProperties().getDeliveryTag(), false);
      }
    }

    void settleEach(List<Message> received, Channel channel) throws IOException {
      for (Message message : received) {
        settle(message, channel);
      }
    }
  }

  static class One extends Listener {
    One(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @RabbitListener(queues = "${source}")
    public void on(Message message) {
      handle(message);
    }
  }

  static class OneTransactional extends Listener {
    OneTransactional(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @RabbitListener(queues = "${source}")
    @Transactional
    public void on(Message message) {
      handle(message);
    }
  }

  static class OneManual extends Listener {
    OneManual(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @RabbitListener(queues = "${source}", ackMode = "MANUAL")
    public void on(Message message, Channel channel) throws IOException {
      settle(message, channel);
    }
  }

  static class OneManualTransactional extends Listener {
    OneManualTransactional(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @RabbitListener(queues = "${source}", ackMode = "MANUAL")
    @Transactional
    public void on(Message message, Channel channel) throws IOException {
      settle(message, channel);
    }
  }

  static class Each extends Listener {
    Each(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @RabbitListener(queues = "${source}", batch = "true")
    public void on(List<Message> received) {
      received.forEach(this::handle);
    }
  }

  static class EachTransactional extends Listener {
    EachTransactional(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @RabbitListener(queues = "${source}", batch = "true")
    @Transactional
    public void on(List<Message> received) {
      received.forEach(this::handle);
    }
  }

  static class EachManual extends Listener {
    EachManual(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @RabbitListener(queues = "${source}", batch = "true", ackMode = "MANUAL")
    public void on(List<Message> received, Channel channel) throws IOException {
      settleEach(received, channel);
    }
  }

  static class EachManualTransactional extends Listener {
    EachManualTransactional(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @RabbitListener(queues = "${source}", batch = "true", ackMode = "MANUAL")
    @Transactional
    public void on(List<Message> received, Channel channel) throws IOException {
      settleEach(received, channel);
    }
  }

  /** Acknowledges all of its messages with the last one, and stops at one that it refuses. */
  static class EachAtOnce extends Listener {
    EachAtOnce(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @RabbitListener(queues = "${source}", batch = "true", ackMode = "MANUAL")
    public void on(List<Message> received, Channel channel) throws IOException {
      long last = -1;
      for (Message message : received) {
        if (!refuseOrHandle(message, channel)) {
          return;
        }
        last = message.getMessageProperties().getDeliveryTag();
      }
      channel.basicAck(last, true);
    }
  }
}
