/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.inbox.KafkaMessageId;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.util.ClassUtils;

/** The classes of messages whose ids are known; each is there if its library is. */
enum ReceivedMessage {
  KAFKA("org.apache.kafka.clients.consumer.ConsumerRecord") {
    @Override
    Function<Object, String> ids() {
      return OfKafka.ID;
    }
  },
  MESSAGING("org.springframework.messaging.Message") {
    @Override
    Function<Object, String> ids() {
      return OfMessaging.ID;
    }
  },
  AMQP("org.springframework.amqp.core.Message") {
    @Override
    Function<Object, String> ids() {
      return OfAmqp.ID;
    }
  };

  private final String className;

  ReceivedMessage(String className) {
    this.className = className;
  }

  String className() {
    return className;
  }

  /** Loads the library. */
  abstract Function<Object, String> ids();

  /** Which one a parameter of this class is. */
  static Optional<ReceivedMessage> of(Class<?> type) {
    return Arrays.stream(values()).filter(kind -> kind.isA(type)).findFirst();
  }

  static List<String> classNames() {
    return Arrays.stream(values()).map(ReceivedMessage::className).toList();
  }

  /** Whether a message came in a record of Kafka's. */
  static boolean isOfKafka(Object message) {
    return KAFKA.isA(message.getClass())
        || (MESSAGING.isA(message.getClass()) && OfMessaging.isRecord(message));
  }

  /** By which RabbitMQ knows a message. */
  long deliveryTag(Object message) {
    return this == AMQP ? OfAmqp.deliveryTag(message) : OfMessaging.deliveryTag(message);
  }

  private boolean isA(Class<?> type) {
    ClassLoader loader = ReceivedMessage.class.getClassLoader();
    return ClassUtils.isPresent(className, loader)
        && ClassUtils.resolveClassName(className, loader).isAssignableFrom(type);
  }

  private static final class OfKafka {
    static final Function<Object, String> ID =
        message ->
            KafkaMessageId.of((org.apache.kafka.clients.consumer.ConsumerRecord<?, ?>) message);
  }

  private static final class OfMessaging {
    static final Function<Object, String> ID =
        message -> SpringMessageId.of((org.springframework.messaging.Message<?>) message);

    static boolean isRecord(Object message) {
      return headers(message).containsKey("kafka_offset");
    }

    static long deliveryTag(Object message) {
      Object tag = headers(message).get("amqp_deliveryTag");
      return tag instanceof Long number ? number : -1;
    }

    private static Map<String, Object> headers(Object message) {
      return ((org.springframework.messaging.Message<?>) message).getHeaders();
    }
  }

  private static final class OfAmqp {
    static final Function<Object, String> ID =
        message -> AmqpMessageId.of((org.springframework.amqp.core.Message) message);

    static long deliveryTag(Object message) {
      return ((org.springframework.amqp.core.Message) message)
          .getMessageProperties()
          .getDeliveryTag();
    }
  }
}
