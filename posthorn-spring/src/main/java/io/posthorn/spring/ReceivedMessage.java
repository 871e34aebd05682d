/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.inbox.KafkaMessageId;
import java.util.Arrays;
import java.util.List;
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
  }

  private static final class OfAmqp {
    static final Function<Object, String> ID =
        message -> AmqpMessageId.of((org.springframework.amqp.core.Message) message);
  }
}
