/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.Batch;
import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.HandlerSpec;
import io.posthorn.OutboxMessage;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method of a Spring bean a handler of messages.
 *
 * <pre>{@code
 * @OutboxHandler(type = "order-placed", name = "mailer")
 * void send(Order order, Delivery delivery) { ... }
 * }</pre>
 *
 * <p>The method takes the payload and, if it likes, the {@link Delivery}; or a {@link Batch} of
 * payloads. The payload is {@code byte[]}, {@code String}, or a class to which the codec decodes;
 * it is null if the message is a tombstone. The method returns nothing, or a {@link DeliveryResult}
 * that says what is to become of the message. What it throws fails the delivery, which is retried.
 *
 * <p>It may have any visibility, but must not be static; on a bean that is proxied by class it must
 * be neither private nor final. It is called through the bean, so that {@code @Transactional} and
 * other advice have their effect. A method that overrides an annotated one is a handler too. In
 * texts, placeholders such as <code>${mail.type}</code> are resolved.
 *
 * @since 0.1
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface OutboxHandler {
  /**
   * The message types that the method takes. None: the one that {@link OutboxMessage} names on the
   * class of the payload.
   */
  String[] type() default {};

  /**
   * The name of the handler; by default the name of the bean, a dot, and the name of the method.
   * Rows in the database refer to it: if it changes, messages that wait for a retry under the old
   * name are no longer delivered here. So give a name before you rename the bean or the method.
   */
  String name() default "";

  /**
   * The name of the outbox whose messages the method takes, in an application that has several.
   * Empty: the one that is called {@code outbox}.
   */
  String outbox() default "";

  /** How many deliveries run at once, at the most; 0: as many as the relay has workers. */
  int concurrency() default 0;

  /**
   * Runs each delivery in a transaction on the outbox's data source, in which the message is
   * settled too. Not for batches.
   */
  boolean transactional() default false;

  /** What happens to the later messages of a key when one of them fails. */
  HandlerSpec.LanePolicy lanePolicy() default HandlerSpec.LanePolicy.HOLD;

  /**
   * After this time a delivery is interrupted and counts as failed: {@code "30s"}, {@code "1m30s"},
   * {@code "PT30S"}. Empty: the relay's.
   */
  String timeLimit() default "";

  /**
   * How many messages a {@link Batch} holds at the most; 0: 100. Only for methods that take one.
   */
  int batchSize() default 0;
}
