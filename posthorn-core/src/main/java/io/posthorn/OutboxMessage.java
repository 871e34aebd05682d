/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the message type of a payload class, so that {@link Outbox#publish(Object)} needs no type,
 * and says where its key and headers come from.
 *
 * <pre>{@code
 * @OutboxMessage(type = "order-placed", key = "#this.orderId", headers = "region=#this.region")
 * record OrderPlaced(UUID orderId, String region) {}
 * }</pre>
 *
 * <p>Key and headers are expressions. posthorn-spring evaluates them as SpEL; elsewhere an
 * evaluator is set by {@link Posthorn.Builder#expressions}, and without one the class cannot be
 * published. They hold for every message with a payload of this class, however it is published; a
 * key or header that the message has already wins. It counts on the class itself, not on
 * subclasses.
 *
 * @since 0.1
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface OutboxMessage {
  /** The stable logical name of the type. */
  String type();

  /**
   * An expression for the key; the payload is its root. Empty: no key. A null value is an error.
   */
  String key() default "";

  /**
   * Headers, each as {@code name=expression}: {@code "source='web'"}. A header whose value is null
   * is left out.
   */
  String[] headers() default {};
}
