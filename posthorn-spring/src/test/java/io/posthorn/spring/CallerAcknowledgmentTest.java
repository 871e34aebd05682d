/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import io.posthorn.MessageHeaders;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Where the transaction is the caller's, its commit is what a broker may be told of. Issue 18, B9.
 */
class CallerAcknowledgmentTest {
  private ConfigurableApplicationContext context;
  private Listener listener;
  private TransactionTemplate caller;
  private TransactionTemplate nested;

  /** What the broker was told, each with the number of effects that were committed then. */
  private final List<String> told = new ArrayList<>();

  static class Listener {
    @Autowired JdbcTemplate jdbc;

    private void take(Object message) {
      jdbc.update("INSERT INTO effect VALUES (?)", String.valueOf(message));
    }

    @OnceOnly(consumer = "one")
    public void one(ConsumerRecord<String, String> record, Acknowledgment acknowledgment) {
      take(record.value());
      acknowledgment.acknowledge();
    }

    @OnceOnly(consumer = "each")
    public void each(List<ConsumerRecord<String, String>> records, Acknowledgment acknowledgment) {
      records.forEach(record -> take(record.value()));
      acknowledgment.acknowledge(records.size() - 1);
    }

    @OnceOnly(consumer = "refusing")
    public void refusing(ConsumerRecord<String, String> record, Acknowledgment acknowledgment) {
      take(record.value());
      acknowledgment.nack(Duration.ofMillis(1));
    }

    @OnceOnly(consumer = "one")
    public void refusingEach(
        List<ConsumerRecord<String, String>> records, Acknowledgment acknowledgment) {
      acknowledgment.nack(0, Duration.ofMillis(1));
    }

    @OnceOnly(consumer = "rabbit")
    @RabbitListener(queues = "orders", ackMode = "MANUAL")
    public void rabbit(Message message, Channel channel) throws IOException {
      take(new String(message.getBody(), StandardCharsets.UTF_8));
      channel.basicAck(message.getMessageProperties().getDeliveryTag(), false);
    }
  }

  @BeforeEach
  void start() {
    context =
        new AnnotationConfigApplicationContext(OnceOnlyTest.Application.class, Listener.class);
    listener = context.getBean(Listener.class);
    PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
    caller = new TransactionTemplate(manager);
    nested = new TransactionTemplate(manager);
    nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
  }

  @AfterEach
  void close() {
    context.close();
  }

  private void tell(String what) {
    told.add(what + ", " + CompletableFuture.supplyAsync(this::effects).join());
  }

  private long effects() {
    Long rows =
        context
            .getBean(JdbcTemplate.class)
            .queryForObject("SELECT count(*) FROM effect", Long.class);
    return rows == null ? -1 : rows;
  }

  private Acknowledgment acknowledgment() {
    return new Acknowledgment() {
      @Override
      public void acknowledge() {
        tell("acknowledged");
      }

      @Override
      public void acknowledge(int index) {
        tell("acknowledged to " + index);
      }

      @Override
      public void nack(Duration sleep) {
        tell("refused");
      }

      @Override
      public void nack(int index, Duration sleep) {
        tell("refused from " + index);
      }
    };
  }

  private Channel channel() {
    return (Channel)
        Proxy.newProxyInstance(
            Channel.class.getClassLoader(),
            new Class<?>[] {Channel.class},
            (self, method, arguments) -> {
              tell(method.getName() + " " + arguments[0]);
              return null;
            });
  }

  private static ConsumerRecord<String, String> record(String id) {
    ConsumerRecord<String, String> record = new ConsumerRecord<>("orders", 0, 7, "k", id);
    record.headers().add(MessageHeaders.ID, id.getBytes(StandardCharsets.UTF_8));
    return record;
  }

  private static Message message(String id) {
    return MessageBuilder.withBody(new byte[] {'x'}).setMessageId(id).setDeliveryTag(3L).build();
  }

  private void inRolledBackTransaction(Runnable work) {
    caller.executeWithoutResult(
        status -> {
          work.run();
          status.setRollbackOnly();
        });
  }

  @Test
  void aRecordIsAcknowledgedWhenTheCallerHasCommitted() {
    caller.executeWithoutResult(status -> listener.one(record("m-1"), acknowledgment()));

    assertThat(told).containsExactly("acknowledged, 1");
  }

  @Test
  void aRecordIsNotAcknowledgedIfTheCallerRollsBack() {
    inRolledBackTransaction(() -> listener.one(record("m-1"), acknowledgment()));

    assertThat(told).isEmpty();
    assertThat(effects()).isZero();
    listener.one(record("m-1"), acknowledgment());
    assertThat(told).as("without a transaction of the caller's").containsExactly("acknowledged, 1");
  }

  @Test
  void aBatchIsAcknowledgedWhenTheCallerHasCommitted() {
    listener.each(List.of(record("m-1")), acknowledgment());
    told.clear();

    inRolledBackTransaction(() -> listener.each(List.of(record("m-2")), acknowledgment()));
    caller.executeWithoutResult(
        status -> listener.each(List.of(record("m-1"), record("m-2")), acknowledgment()));

    assertThat(told).containsExactly("acknowledged to 1, 2");
  }

  @Test
  void aMessageOfRabbitIsAcknowledgedWhenTheCallerHasCommitted() {
    inRolledBackTransaction(() -> rabbit("m-1"));
    assertThat(told).isEmpty();

    caller.executeWithoutResult(status -> rabbit("m-1"));
    assertThat(told).containsExactly("basicAck 3, 1");
  }

  private void rabbit(String id) {
    try {
      listener.rabbit(message(id), channel());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** It is no duplicate before the caller's transaction, which has the first one, is committed. */
  @Test
  void aMessageThatIsPassedOverIsAcknowledgedWhenTheCallerHasCommitted() {
    inRolledBackTransaction(
        () -> {
          listener.one(record("m-1"), acknowledgment());
          listener.one(record("m-1"), acknowledgment());
        });

    assertThat(told).isEmpty();
  }

  @Test
  void whatASavepointTakesBackIsNotAcknowledged() {
    caller.executeWithoutResult(
        status -> {
          listener.one(record("m-1"), acknowledgment());
          assertThatThrownBy(
                  () ->
                      nested.executeWithoutResult(
                          inner -> {
                            listener.one(record("m-2"), acknowledgment());
                            throw new IllegalStateException("no parcel");
                          }))
              .hasMessage("no parcel");
          nested.executeWithoutResult(inner -> listener.one(record("m-3"), acknowledgment()));
        });

    assertThat(told).containsExactly("acknowledged, 2", "acknowledged, 2");
  }

  /** Its effect is taken back at once, whatever becomes of the transaction. */
  @Test
  void aRefusalIsToldAtOnce() {
    caller.executeWithoutResult(
        status -> {
          listener.refusing(record("m-1"), acknowledgment());
          assertThat(told).containsExactly("refused, 0");
        });

    assertThat(effects()).isZero();
  }

  /** A container would take those before the refused one for handled. */
  @Test
  void aRefusalInABatchIsOfAllOfIt() {
    inRolledBackTransaction(
        () -> {
          listener.one(record("m-1"), acknowledgment());
          listener.refusingEach(List.of(record("m-1"), record("m-2")), acknowledgment());
        });

    assertThat(told).containsExactly("refused from 0, 0");
  }

  @Test
  void aTransactionInsideTheCallersDoesNotAcknowledgeForIt() {
    TransactionTemplate other =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    other.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

    inRolledBackTransaction(
        () -> {
          listener.one(record("m-1"), acknowledgment());
          other.executeWithoutResult(status -> listener.one(record("m-2"), acknowledgment()));
          listener.one(record("m-3"), acknowledgment());
        });

    assertThat(told).containsExactly("acknowledged, 1");
  }
}
