/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method once for each message, by an inbox, although a broker delivers messages at least
 * once. For {@code @KafkaListener} and {@code @RabbitListener} methods, and any method of a bean:
 *
 * <pre>{@code
 * @OnceOnly(consumer = "warehouse")
 * @KafkaListener(topics = "orders")
 * @Transactional
 * void on(ConsumerRecord<String, Order> record) { … }
 * }</pre>
 *
 * <p>One of the parameters is the message: a {@code ConsumerRecord} of Kafka's, a {@code Message}
 * of Spring's messaging or of Spring AMQP; or a {@code List} of them, from which those that were
 * handled before are taken out. If none is left, the method is not called, and its result is null.
 *
 * <p>The message is recorded in the method's transaction, if it is {@code @Transactional}, or in
 * the caller's; otherwise the inbox begins one for the call. If the method throws, the message
 * counts as not handled, whatever becomes of the transaction.
 *
 * <p>If a batch listener of Spring Kafka says which record failed, by a {@code
 * BatchListenerFailedException} with that record or with its index in the list that the method has,
 * the records before it are handled in a call and a transaction of their own, and the container
 * learns the failed one's index in its own list. A record without an id counts as one that failed.
 *
 * <p>An {@code Acknowledgment}, or, in a listener with {@code ackMode = "MANUAL"}, a {@code
 * Channel} acknowledges after the commit, and not at all if the method throws. What is passed over
 * is acknowledged. A message that the method refuses by it ({@code nack}, {@code basicReject})
 * counts as not handled, and its transaction is rolled back.
 *
 * @since 0.1
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface OnceOnly {
  /**
   * Who handles the message; may have placeholders. There is no default: it must stay the same when
   * classes and applications are renamed, or all is handled once more, and two methods that get the
   * same messages need two of them, or the second one gets none.
   */
  String consumer();

  /**
   * The name of a {@link io.posthorn.inbox.MessageIdFunction} bean, for messages whose id is not in
   * their headers, or is not their own: Kafka Streams copies headers to derived records. Empty: the
   * id is in the headers.
   */
  String id() default "";

  /** The name or qualifier of the Inbox bean. Empty: the only or primary one. */
  String inbox() default "";
}
