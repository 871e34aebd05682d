/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.Delivery;
import io.posthorn.spi.DeliveryInterceptor;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Puts the message that is being handled into the MDC, so that each line that the handler logs can
 * name it: {@code posthorn.messageId}, {@code posthorn.type}, {@code posthorn.key}, {@code
 * posthorn.tenant} and {@code posthorn.idempotencyKey}, as far as it has them, and the {@code
 * posthorn.handler}. Structured logging makes fields of them. What stood there before comes back when the handler has
 * ended. Control characters are escaped. Safe to share between threads.
 *
 * <p>While a batch is handled, only that is shown which is the same for all its messages: a line of
 * the log must not name one of them when it is about another.
 *
 * @since 0.1
 */
public final class MdcInterceptor implements DeliveryInterceptor {
  /** The id of the message. */
  public static final String MESSAGE_ID = "posthorn.messageId";

  /** The type of the message. */
  public static final String TYPE = "posthorn.type";

  /** The key of the message. */
  public static final String KEY = "posthorn.key";

  /** The tenant of the message. */
  public static final String TENANT = "posthorn.tenant";

  /** The name of the handler. */
  public static final String HANDLER = "posthorn.handler";

  /** The key under which the message was published once only. */
  public static final String IDEMPOTENCY_KEY = "posthorn.idempotencyKey";

  private static final List<String> NAMES =
      List.of(MESSAGE_ID, TYPE, KEY, TENANT, HANDLER, IDEMPOTENCY_KEY);

  private static final ThreadLocal<@Nullable Shown> INNERMOST = new ThreadLocal<>();

  /**
   * What is in the MDC for a message.
   *
   * @param before what it took the place of
   * @param outer that of the message before this one in the batch, or null
   */
  private record Shown(
      Map<String, String> values, Map<String, String> before, @Nullable Shown outer) {}

  @Override
  public void before(Delivery delivery) {
    Shown outer = INNERMOST.get();
    Map<String, String> values = valuesOf(delivery);
    if (outer != null) {
      values.entrySet().retainAll(outer.values().entrySet());
    }
    INNERMOST.set(new Shown(values, present(), outer));
    show(values);
  }

  @Override
  public void after(Delivery delivery, @Nullable Throwable failure) {
    Shown shown = INNERMOST.get();
    if (shown == null) {
      return;
    }
    show(shown.before());
    if (shown.outer() == null) {
      INNERMOST.remove();
    } else {
      INNERMOST.set(shown.outer());
    }
  }

  private static Map<String, String> valuesOf(Delivery delivery) {
    Map<String, String> values = new HashMap<>();
    values.put(MESSAGE_ID, delivery.messageId().toString());
    putIfPresent(values, TYPE, onOneLine(delivery.type()));
    putIfPresent(values, KEY, onOneLine(delivery.key()));
    putIfPresent(values, TENANT, onOneLine(delivery.tenant()));
    putIfPresent(values, HANDLER, onOneLine(delivery.handler()));
    putIfPresent(values, IDEMPOTENCY_KEY, onOneLine(delivery.idempotencyKey()));
    return values;
  }

  /** Keys come from users: with a line break in one of them they could forge lines of the log. */
  private static @Nullable String onOneLine(@Nullable String text) {
    if (text == null || text.codePoints().noneMatch(MdcInterceptor::endsLine)) {
      return text;
    }
    StringBuilder clean = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              if (endsLine(c)) {
                clean.append(String.format(Locale.ROOT, "\\u%04x", c));
              } else {
                clean.appendCodePoint(c);
              }
            });
    return clean.toString();
  }

  private static boolean endsLine(int c) {
    return Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
  }

  private static Map<String, String> present() {
    Map<String, String> values = new HashMap<>();
    NAMES.forEach(name -> putIfPresent(values, name, MDC.get(name)));
    return values;
  }

  private static void putIfPresent(
      Map<String, String> values, String name, @Nullable String value) {
    if (value != null) {
      values.put(name, value);
    }
  }

  private static void show(Map<String, String> values) {
    for (String name : NAMES) {
      String value = values.get(name);
      if (value == null) {
        MDC.remove(name);
      } else {
        MDC.put(name, value);
      }
    }
  }
}
