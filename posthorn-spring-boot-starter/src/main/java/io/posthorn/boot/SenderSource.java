/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.spi.Sender;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.ResolvableType;

/** Senders on connections that the application has. They are made when a route leads to them. */
interface SenderSource {
  /** The name of the sender of the only, or the primary, connection to Kafka. */
  String KAFKA = "kafka";

  /** The name of the sender of the only, or the primary, connection to RabbitMQ. */
  String RABBIT = "rabbit";

  /** The name of the sender to HTTP endpoints. */
  String HTTP = "http";

  Map<String, Supplier<Sender>> senders();

  /**
   * A sender for each bean of a class: the only or primary one under the name of its kind, others
   * under the names of their beans.
   */
  static <B> Map<String, Supplier<Sender>> forEachBean(
      ListableBeanFactory beans, Class<B> type, String kind, Function<B, Sender> sender) {
    Map<String, Supplier<Sender>> senders = new LinkedHashMap<>();
    B primary = beans.<B>getBeanProvider(ResolvableType.forClass(type)).getIfUnique();
    beans
        .getBeansOfType(type)
        .forEach(
            (name, bean) -> senders.put(bean == primary ? kind : name, () -> sender.apply(bean)));
    return senders;
  }
}
