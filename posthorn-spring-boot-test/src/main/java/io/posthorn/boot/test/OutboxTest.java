/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Lets the outboxes of a test's application deliver nothing by themselves: {@link
 * OutboxTester#drain} does, on the test's thread. Goes with {@code @SpringBootTest}, also on an
 * enclosing class.
 *
 * <pre>{@code
 * @SpringBootTest
 * @OutboxTest
 * class OrdersTest {
 *   @Autowired OutboxTester outbox;
 * }
 * }</pre>
 *
 * @since 0.1
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@Import(OutboxTestConfiguration.class)
public @interface OutboxTest {
  /**
   * Whether all messages are deleted before each test, those that other tests and programs left in
   * the same tables too.
   */
  boolean clear() default true;
}
