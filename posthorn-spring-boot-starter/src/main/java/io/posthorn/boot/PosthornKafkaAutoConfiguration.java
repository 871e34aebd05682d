/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.kafka.KafkaSender;
import io.posthorn.spi.Sender;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.core.ProducerPostProcessor;

/**
 * Senders to Kafka with the settings of the application's producer factories: that of the only or
 * primary one is named {@code kafka}, others are named like their beans.
 *
 * @since 0.1
 */
@AutoConfiguration
@ConditionalOnClass({KafkaSender.class, ProducerFactory.class})
@ConditionalOnProperty(prefix = "posthorn", name = "enabled", matchIfMissing = true)
class PosthornKafkaAutoConfiguration {
  @Bean
  KafkaSenders outboxKafkaSenders(ListableBeanFactory beans) {
    return new KafkaSenders(beans);
  }

  /** Closes those it has made, after the relay has stopped. */
  static final class KafkaSenders implements SenderSource, DisposableBean {
    private final ListableBeanFactory beans;
    private final List<KafkaSender> made = new CopyOnWriteArrayList<>();

    KafkaSenders(ListableBeanFactory beans) {
      this.beans = beans;
    }

    @Override
    public Map<String, Supplier<Sender>> senders() {
      return SenderSource.forEachBean(beans, ProducerFactory.class, KAFKA, this::make);
    }

    private Sender make(ProducerFactory<?, ?> factory) {
      Map<String, Object> settings = new HashMap<>(factory.getConfigurationProperties());
      settings.remove(
          ProducerConfig.TRANSACTIONAL_ID_CONFIG); // for the application's own producers
      KafkaSender sender = KafkaSender.using(settings, all -> producer(factory, all));
      made.add(sender);
      return sender;
    }

    /**
     * One of its own: the application's may have other serialisers, and take part in transactions.
     */
    @SuppressWarnings("unchecked") // they take producers of any kind
    private static Producer<String, byte[]> producer(
        ProducerFactory<?, ?> factory, Map<String, Object> settings) {
      Producer<String, byte[]> producer = new KafkaProducer<>(settings);
      for (Object processor : factory.getPostProcessors()) {
        producer = ((ProducerPostProcessor<String, byte[]>) processor).apply(producer);
      }
      return producer;
    }

    @Override
    public void destroy() {
      GuardedStop.eachOnce(made, KafkaSender::close);
    }
  }
}
