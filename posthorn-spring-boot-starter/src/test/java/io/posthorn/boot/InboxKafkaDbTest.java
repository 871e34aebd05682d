/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static io.posthorn.boot.InboxApplication.CONSUMER;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.MessageHeaders;
import io.posthorn.boot.DrawnMessages.Drawing;
import io.posthorn.boot.DrawnMessages.Drawn;
import io.posthorn.boot.DrawnMessages.Failure;
import io.posthorn.servers.KafkaServer;
import io.posthorn.spring.OnceOnly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.messaging.Message;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;
import org.springframework.util.backoff.FixedBackOff;

/**
 * Whatever fails, and whatever the container does about it: each message has one effect, or is
 * where the error handler put it.
 */
class InboxKafkaDbTest {
  private static final KafkaServer KAFKA = new KafkaServer().withSetting("num.partitions", "1");

  @BeforeAll
  static void start() {
    KAFKA.start();
  }

  @AfterAll
  static void stop() {
    KAFKA.close();
  }

  static LongStream seeds() {
    return InboxApplication.seeds(10);
  }

  /**
   * How messages get to the listener, and what follows if it fails.
   *
   * @param back whether the consumer goes back after a failure, or the container keeps the rest
   */
  record Setting(
      Class<? extends Listener> listener,
      AckMode mode,
      int most,
      BackOff backOff,
      boolean back,
      boolean deadLetters) {

    static Setting draw(Random random) {
      List<Class<? extends Listener>> automatic =
          List.of(One.class, Each.class, EachTransactional.class, EachMessage.class);
      List<Class<? extends Listener>> manual =
          List.of(OneManual.class, EachManual.class, EachManualTransactional.class);
      boolean byHand = random.nextBoolean();
      List<Class<? extends Listener>> listeners = byHand ? manual : automatic;
      return new Setting(
          listeners.get(random.nextInt(listeners.size())),
          byHand
              ? List.of(AckMode.MANUAL, AckMode.MANUAL_IMMEDIATE).get(random.nextInt(2))
              : List.of(AckMode.RECORD, AckMode.BATCH).get(random.nextInt(2)),
          1 + random.nextInt(12),
          random.nextBoolean()
              ? new FixedBackOff(random.nextInt(20), random.nextInt(4))
              : growing(random),
          random.nextBoolean(),
          random.nextBoolean());
    }

    private static BackOff growing(Random random) {
      ExponentialBackOff growing = new ExponentialBackOff(1 + random.nextInt(5), 2);
      growing.setMaxAttempts(1 + random.nextInt(4));
      return growing;
    }

    boolean batch() {
      return !listener.getSimpleName().startsWith("One");
    }

    boolean manual() {
      return listener.getSimpleName().contains("Manual");
    }

    Drawing drawing(Random random) {
      List<Failure> kinds = new ArrayList<>();
      if (!batch() || random.nextBoolean()) {
        kinds.addAll(List.of(Failure.PLAIN, Failure.STATEMENT));
      }
      if (batch()) {
        kinds.add(Failure.AT_INDEX);
        kinds.add(listener == EachMessage.class ? Failure.AT_INDEX : Failure.OF_RECORD);
      }
      if (manual()) {
        kinds.add(Failure.REFUSED);
      }
      return new Drawing(kinds, failure -> failure != Failure.REFUSED, true);
    }
  }

  /** What all listeners do with what they get. */
  abstract static class Listener {
    private final DrawnMessages messages;

    Listener(DrawnMessages messages) {
      this.messages = messages;
    }

    void one(ConsumerRecord<String, String> record, @Nullable Acknowledgment acknowledgment) {
      Failure failure = messages.handle(record.value());
      if (failure == Failure.REFUSED && acknowledgment != null) {
        acknowledgment.nack(Duration.ofMillis(1));
      } else if (failure != null) {
        messages.fail(failure);
      } else if (acknowledgment != null) {
        acknowledgment.acknowledge();
      }
    }

    void each(
        List<String> values,
        List<ConsumerRecord<String, String>> records,
        @Nullable Acknowledgment acknowledgment) {
      for (int i = 0; i < values.size(); i++) {
        Failure failure = messages.handle(values.get(i));
        if (failure == Failure.REFUSED && acknowledgment != null) {
          acknowledgment.nack(i, Duration.ofMillis(1));
          return;
        }
        if (failure == Failure.AT_INDEX) {
          throw new BatchListenerFailedException("drawn", i);
        }
        if (failure == Failure.OF_RECORD) {
          throw new BatchListenerFailedException(
              "drawn", new IllegalStateException("drawn"), records.get(i));
        }
        if (failure != null) {
          messages.fail(failure);
        }
      }
      if (acknowledgment != null) {
        acknowledgment.acknowledge();
      }
    }

    void each(
        List<ConsumerRecord<String, String>> records, @Nullable Acknowledgment acknowledgment) {
      each(records.stream().map(ConsumerRecord::value).toList(), records, acknowledgment);
    }
  }

  static class One extends Listener {
    One(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @KafkaListener(topics = "${source}")
    @Transactional
    public void on(ConsumerRecord<String, String> record) {
      one(record, null);
    }
  }

  static class OneManual extends Listener {
    OneManual(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @KafkaListener(topics = "${source}")
    public void on(ConsumerRecord<String, String> record, Acknowledgment acknowledgment) {
      one(record, acknowledgment);
    }
  }

  static class Each extends Listener {
    Each(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @KafkaListener(topics = "${source}", batch = "true")
    public void on(List<ConsumerRecord<String, String>> records) {
      each(records, null);
    }
  }

  static class EachTransactional extends Listener {
    EachTransactional(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @KafkaListener(topics = "${source}", batch = "true")
    @Transactional
    public void on(List<ConsumerRecord<String, String>> records) {
      each(records, null);
    }
  }

  static class EachMessage extends Listener {
    EachMessage(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @KafkaListener(topics = "${source}", batch = "true")
    @Transactional
    public void on(List<Message<String>> received) {
      each(received.stream().map(Message::getPayload).toList(), List.of(), null);
    }
  }

  static class EachManual extends Listener {
    EachManual(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @KafkaListener(topics = "${source}", batch = "true")
    public void on(List<ConsumerRecord<String, String>> records, Acknowledgment acknowledgment) {
      each(records, acknowledgment);
    }
  }

  static class EachManualTransactional extends Listener {
    EachManualTransactional(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @KafkaListener(topics = "${source}", batch = "true")
    @Transactional
    public void on(List<ConsumerRecord<String, String>> records, Acknowledgment acknowledgment) {
      each(records, acknowledgment);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableKafka
  static class Listening {
    @Bean
    ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory(
        Setting setting, DefaultErrorHandler errors, String topic) {
      var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
      factory.setConsumerFactory(
          new DefaultKafkaConsumerFactory<>(
              Map.of(
                  "bootstrap.servers",
                  KAFKA.bootstrapServers(),
                  "group.id",
                  topic,
                  "auto.offset.reset",
                  "earliest",
                  "max.poll.records",
                  setting.most,
                  "fetch.max.wait.ms",
                  20),
              new StringDeserializer(),
              new StringDeserializer()));
      factory.getContainerProperties().setAckMode(setting.mode);
      factory.getContainerProperties().setPollTimeout(20);
      factory.setCommonErrorHandler(errors);
      return factory;
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void eachMessageHasOneEffectOrIsWhereTheErrorHandlerPutIt(long seed) throws Exception {
    Random random = new Random(seed);
    Setting setting = Setting.draw(random);
    DataSource dataSource = InboxApplication.freshDatabase();
    DrawnMessages messages =
        new DrawnMessages(random, new JdbcTemplate(dataSource), setting.drawing(random));
    InboxApplication.labelled(
        seed, setting, any -> run("orders-" + seed, setting, dataSource, messages));
  }

  /** The container commits what stands before the record that failed. */
  @ParameterizedTest
  @CsvSource({"AT_INDEX, true", "AT_INDEX, false", "OF_RECORD, true", "OF_RECORD, false"})
  void recordsBeforeTheOneThatFailedAreNotLost(Failure failure, boolean back) throws Exception {
    DataSource dataSource = InboxApplication.freshDatabase();
    Setting setting =
        new Setting(Each.class, AckMode.BATCH, 500, new FixedBackOff(1, 3), back, false);
    run(
        "batch-" + failure + "-" + back,
        setting,
        dataSource,
        new DrawnMessages(new JdbcTemplate(dataSource), failure));
  }

  private static void run(
      String topic, Setting setting, DataSource dataSource, DrawnMessages messages)
      throws Exception {
    var producers =
        new DefaultKafkaProducerFactory<String, String>(
            Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "linger.ms", 0),
            new StringSerializer(),
            new StringSerializer());
    try {
      KafkaTemplate<String, String> template = new KafkaTemplate<>(producers);
      send(template, topic, messages.stream());
      InboxApplication.run(
          dataSource,
          topic,
          context -> {
            context.registerBean(Setting.class, () -> setting);
            context.registerBean("topic", String.class, () -> topic);
            context.registerBean(DrawnMessages.class, () -> messages);
            context.registerBean(
                DefaultErrorHandler.class, () -> errors(setting, topic, template, messages));
            context.register(Listening.class, setting.listener);
          },
          context -> awaitCommitted(topic, messages.stream().size(), setting + " " + messages));
    } finally {
      producers.destroy();
    }
    if (setting.deadLetters) {
      readDeadLetters(topic, messages);
    }
    messages.check(!setting.batch());
  }

  private static DefaultErrorHandler errors(
      Setting setting,
      String topic,
      KafkaTemplate<String, String> template,
      DrawnMessages messages) {
    ConsumerRecordRecoverer recoverer =
        setting.deadLetters
            ? new DeadLetterPublishingRecoverer(
                template, (record, failure) -> new TopicPartition(topic + "-dead", 0))
            : (record, failure) -> messages.putAside(String.valueOf(record.value()));
    DefaultErrorHandler errors = new DefaultErrorHandler(recoverer, setting.backOff);
    errors.setSeekAfterError(setting.back);
    return errors;
  }

  private static void send(
      KafkaTemplate<String, String> template, String topic, List<Drawn> messages) throws Exception {
    for (Drawn message : messages) {
      ProducerRecord<String, String> record = new ProducerRecord<>(topic, "k", message.value());
      if (message.id() != null) {
        record.headers().add(MessageHeaders.ID, message.id().getBytes(UTF_8));
      }
      template.send(record).get(20, TimeUnit.SECONDS);
    }
  }

  /** Until the container has committed the last message. */
  private static void awaitCommitted(String group, long offset, String what) throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(40).toNanos();
    long committed = -1;
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
      while (System.nanoTime() < end) {
        OffsetAndMetadata found =
            admin
                .listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get(20, TimeUnit.SECONDS)
                .get(new TopicPartition(group, 0));
        committed = found == null ? -1 : found.offset();
        if (committed == offset) {
          return;
        }
      }
    }
    throw new AssertionError("only %d of %d committed: %s".formatted(committed, offset, what));
  }

  private static void readDeadLetters(String topic, DrawnMessages messages) {
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", KAFKA.bootstrapServers(), "allow.auto.create.topics", "true"),
            new StringDeserializer(),
            new StringDeserializer())) {
      TopicPartition dead = new TopicPartition(topic + "-dead", 0);
      if (!consumer.listTopics().containsKey(dead.topic())) {
        return;
      }
      consumer.assign(List.of(dead));
      consumer.seekToBeginning(List.of(dead));
      long last = consumer.endOffsets(List.of(dead)).get(dead);
      while (consumer.position(dead) < last) {
        consumer.poll(Duration.ofMillis(200)).forEach(record -> messages.putAside(record.value()));
      }
    }
  }
}
