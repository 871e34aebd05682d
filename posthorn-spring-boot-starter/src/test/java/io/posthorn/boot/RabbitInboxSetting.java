/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.boot.DrawnMessages.Drawing;
import io.posthorn.boot.DrawnMessages.Failure;
import io.posthorn.boot.RabbitInboxListeners.EachAtOnce;
import io.posthorn.boot.RabbitInboxListeners.Listener;
import java.util.List;
import java.util.Random;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.ImmediateRequeueAmqpException;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.DirectRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.RetryInterceptorBuilder;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.retry.ImmediateRequeueMessageRecoverer;
import org.springframework.amqp.rabbit.retry.MessageBatchRecoverer;
import org.springframework.amqp.rabbit.retry.MessageRecoverer;
import org.springframework.amqp.rabbit.retry.RejectAndDontRequeueRecoverer;
import org.springframework.amqp.rabbit.retry.RepublishMessageRecoverer;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * How messages of RabbitMQ get to a listener, and what follows if it fails.
 *
 * @param most the prefetch count, and the size of a batch
 * @param requeue what the container does about an exception that does not say it
 */
record RabbitInboxSetting(
    Class<? extends Listener> listener,
    boolean direct,
    int consumers,
    int most,
    Transactions transactions,
    boolean requeue,
    Retry retry,
    Recovery recovery) {

  /** Of the container. */
  enum Transactions {
    NONE,
    /** Acknowledgments are committed with the channel. */
    OF_CHANNEL,
    /** The listener is called in a transaction of the container's. */
    OF_DATABASE
  }

  /** The container's interceptor. */
  enum Retry {
    NONE,
    /** Calls the listener again. */
    STATELESS,
    /** Lets the broker deliver again, and counts. */
    STATEFUL
  }

  /** What the interceptor does when it gives up. */
  enum Recovery {
    REJECT,
    REPUBLISH,
    REQUEUE
  }

  static RabbitInboxSetting draw(Random random) {
    Class<? extends Listener> listener = any(random, RabbitInboxListeners.ALL);
    boolean batch = listener.getSimpleName().startsWith("Each");
    boolean manual = isManual(listener);
    // In a transaction of its own a container acknowledges by itself, manual or not.
    List<Transactions> transactions =
        manual
            ? List.of(Transactions.NONE, Transactions.OF_CHANNEL)
            : List.of(Transactions.values());
    List<Retry> retries = manual ? List.of(Retry.NONE, Retry.STATELESS) : List.of(Retry.values());
    List<Recovery> recoveries = manual ? List.of(Recovery.REJECT) : List.of(Recovery.values());
    return new RabbitInboxSetting(
        listener,
        !batch && random.nextBoolean(),
        1 + random.nextInt(3),
        1 + random.nextInt(8),
        any(random, transactions),
        random.nextBoolean(),
        any(random, retries),
        any(random, recoveries));
  }

  private static <T> T any(Random random, List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  private static boolean isManual(Class<?> listener) {
    return listener.getSimpleName().contains("Manual") || listener == EachAtOnce.class;
  }

  boolean batch() {
    return listener.getSimpleName().startsWith("Each");
  }

  private boolean manual() {
    return isManual(listener);
  }

  Drawing drawing() {
    // For a manual listener that throws, a container settles nothing.
    List<Failure> kinds =
        manual()
            ? List.of(Failure.REFUSED, Failure.PUT_BACK)
            : List.of(Failure.PLAIN, Failure.STATEMENT, Failure.NOT_AGAIN, Failure.AGAIN);
    // A message without an id makes stateful retry stop the container.
    boolean withoutIds = manual() || (retry != Retry.STATEFUL && ends(Failure.PLAIN));
    return new Drawing(kinds, this::ends, withoutIds);
  }

  /** Whether somebody puts a message aside that fails so each time. */
  private boolean ends(Failure failure) {
    return switch (failure) {
      case NOT_AGAIN, REFUSED -> true;
      case PUT_BACK -> false;
      case AGAIN -> retry != Retry.NONE && recovery != Recovery.REQUEUE;
      default -> retry == Retry.NONE ? !requeue : recovery != Recovery.REQUEUE;
    };
  }

  AbstractRabbitListenerContainerFactory<?> factory(
      PlatformTransactionManager manager, RabbitTemplate template, String deadLetters) {
    AbstractRabbitListenerContainerFactory<?> factory = direct ? directFactory() : simpleFactory();
    factory.setDefaultRequeueRejected(requeue);
    factory.setPrefetchCount(most);
    factory.setChannelTransacted(transactions != Transactions.NONE);
    if (transactions == Transactions.OF_DATABASE) {
      factory.setTransactionManager(manager);
    }
    MethodInterceptor interceptor = interceptor(template, deadLetters);
    if (interceptor != null) {
      factory.setAdviceChain(interceptor);
    }
    return factory;
  }

  private AbstractRabbitListenerContainerFactory<?> directFactory() {
    DirectRabbitListenerContainerFactory factory = new DirectRabbitListenerContainerFactory();
    factory.setConsumersPerQueue(consumers);
    return factory;
  }

  private AbstractRabbitListenerContainerFactory<?> simpleFactory() {
    SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
    factory.setConcurrentConsumers(consumers);
    factory.setReceiveTimeout(20L);
    if (batch()) {
      factory.setBatchListener(true);
      factory.setConsumerBatchEnabled(true);
      factory.setBatchSize(most);
    }
    return factory;
  }

  private @Nullable MethodInterceptor interceptor(RabbitTemplate template, String deadLetters) {
    MessageRecoverer recoverer =
        batch() ? batchRecoverer(template, deadLetters) : recoverer(template, deadLetters);
    return switch (retry) {
      case NONE -> null;
      case STATELESS ->
          RetryInterceptorBuilder.stateless().backOffOptions(1, 2, 10).recoverer(recoverer).build();
      case STATEFUL ->
          RetryInterceptorBuilder.stateful().backOffOptions(1, 2, 10).recoverer(recoverer).build();
    };
  }

  private MessageRecoverer recoverer(RabbitTemplate template, String deadLetters) {
    return switch (recovery) {
      case REJECT -> new RejectAndDontRequeueRecoverer();
      case REPUBLISH -> new RepublishMessageRecoverer(template, "", deadLetters);
      case REQUEUE -> new ImmediateRequeueMessageRecoverer();
    };
  }

  private MessageBatchRecoverer batchRecoverer(RabbitTemplate template, String deadLetters) {
    return (received, failure) -> {
      switch (recovery) {
        case REJECT -> throw new AmqpRejectAndDontRequeueException("given up", failure);
        case REPUBLISH -> received.forEach(message -> template.send(deadLetters, message));
        case REQUEUE -> throw new ImmediateRequeueAmqpException("given up", failure);
      }
    };
  }
}
