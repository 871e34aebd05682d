/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** A new option that the copy forgets would silently fall back to its default. */
class OptionsCopyTest {
  private static final Map<Class<?>, Object> SAMPLES =
      Map.of(
          String.class,
          "sample",
          Duration.class,
          Duration.ofSeconds(77),
          int.class,
          77,
          long.class,
          77L,
          boolean.class,
          true,
          Executor.class,
          (Executor) Runnable::run,
          RetryPolicy.class,
          RetryPolicy.standard());

  private static List<Method> setters(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .filter(method -> method.getReturnType() == type && method.getParameterCount() == 1)
        .toList();
  }

  private static void assertCopied(Object options, Object copy) throws Exception {
    List<Method> setters = setters(options.getClass());
    assertThat(setters).isNotEmpty();
    for (Method setter : setters) {
      Object sample = SAMPLES.get(setter.getParameterTypes()[0]);
      Object copied = options.getClass().getMethod(setter.getName()).invoke(copy);
      assertThat(copied).as(setter.getName()).isEqualTo(sample);
    }
  }

  private static <T> T filled(T options) throws Exception {
    for (Method setter : setters(options.getClass())) {
      setter.invoke(options, SAMPLES.get(setter.getParameterTypes()[0]));
    }
    return options;
  }

  @Test
  void everyRelayOptionIsCopied() throws Exception {
    RelayOptions options = filled(new RelayOptions());

    assertCopied(options, options.copy());
  }

  @Test
  void theRetryPolicyOfATypeIsCopiedAndNotShared() {
    RelayOptions options = new RelayOptions().retry("t", RetryPolicy.none());
    RelayOptions copy = options.copy();
    options.retry("u", RetryPolicy.none());

    assertThat(copy.retryByType()).containsOnlyKeys("t");
  }

  @Test
  void everyPublishOptionIsCopied() throws Exception {
    PublishOptions options = filled(new PublishOptions());

    assertCopied(options, options.copy());
  }
}
