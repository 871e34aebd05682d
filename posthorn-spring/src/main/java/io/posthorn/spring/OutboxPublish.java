/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.OutboxMessage;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Publishes something each time the method has returned normally, in the method's transaction.
 *
 * <pre>{@code
 * @Transactional
 * @OutboxPublish(type = "order-placed", key = "#payload.id")
 * public Order place(Cart cart) { … }
 * }</pre>
 *
 * <p>It works on methods of Spring beans that are called through the bean's proxy: not on private,
 * static or final ones, and not on calls of a bean to itself. If nothing can be published the
 * caller gets a {@link io.posthorn.PublishException}, and the transaction rolls back.
 *
 * <p>Expressions are SpEL. They know the parameters by name and as {@code #p0} or {@code #a0},
 * {@code #result}, {@code #root.target}, {@code #root.method}, {@code #root.args}, and beans as
 * {@code @name}. An {@link java.util.Optional} result is unwrapped.
 *
 * @since 0.1
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(OutboxPublish.All.class)
public @interface OutboxPublish {
  /**
   * The stable logical name of the type. Empty: that of the payload class's {@link OutboxMessage}.
   */
  String type() default "";

  /**
   * An expression for what is published. Null: nothing is. The elements of a collection or array of
   * objects are published each, as one batch, without those that are null. A {@link Message} is
   * published as it is; what it lacks, key and headers fill in.
   */
  String payload() default "#result";

  /**
   * An expression for the key, evaluated for each element, which it knows as {@code #payload}.
   * Empty: no key, unless the payload's class gives it one. A null value is an error.
   */
  String key() default "";

  /**
   * Headers, each as {@code name=expression}: {@code "source='web'"}. The expressions know what
   * those for the key know. A header whose value is null is left out.
   */
  String[] headers() default {};

  /** The name or qualifier of the {@link Outbox} bean. Empty: the only or primary one. */
  String outbox() default "";

  /** Several of them on one method. */
  @Documented
  @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
  @Retention(RetentionPolicy.RUNTIME)
  @interface All {
    /** In the order in which they are published. */
    OutboxPublish[] value();
  }
}
