/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.util.Objects.requireNonNull;

import io.posthorn.ConfigurationException;
import io.posthorn.HandlerSpec;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Finds the {@link OutboxHandler} methods of the beans of a context, with their {@link
 * OutboxRetryable} and {@link OutboxFallback}. Beans of a parent context belong to the parent.
 *
 * <p>Beans are not created for it: each is fetched for each delivery. So a lazy bean is created by
 * its first message, a prototype for every message, and a scoped bean must have its scope on the
 * relay's threads. A bean whose type is not known before it exists is found only after that; as a
 * bean itself this class looks again when all singletons exist, and tells of what it had to miss.
 * Safe to share between threads.
 *
 * @since 0.1
 */
public final class HandlerMethods implements SmartInitializingSingleton {
  private final ListableBeanFactory beans;

  /** Names; null until they were asked for. */
  private volatile @Nullable Set<String> handedOut;

  public HandlerMethods(ListableBeanFactory beans) {
    requireNonNull(beans, "beans");
    this.beans =
        beans instanceof ConfigurableApplicationContext context ? context.getBeanFactory() : beans;
  }

  /**
   * Looks through all beans.
   *
   * @throws ConfigurationException naming all mistakes of all beans
   */
  public List<HandlerSpec<?>> specs() {
    HandlerScan scan = new HandlerScan(beans);
    report(scan.problems());
    handedOut = Set.copyOf(scan.byName().keySet());
    return scan.byName().values().stream().<HandlerSpec<?>>map(BeanHandlers.Found::spec).toList();
  }

  /**
   * Looks again, if {@link #specs} was called before all singletons existed: now the proxies are
   * known, and the classes behind interfaces.
   *
   * @throws ConfigurationException naming the handlers that were missed or cannot be called
   */
  @Override
  public void afterSingletonsInstantiated() {
    Set<String> before = handedOut;
    if (before == null) {
      return;
    }
    HandlerScan scan = new HandlerScan(beans);
    Stream<String> missed =
        scan.byName().values().stream()
            .filter(found -> !before.contains(found.spec().name()))
            .map(
                found ->
                    "handler method %s was not found, since the class of the bean was not known before the bean was created; let its @Bean method return %s"
                        .formatted(found.method(), found.method().beanClass().getName()));
    report(Stream.concat(scan.problems().stream(), missed).toList());
  }

  private static void report(List<String> problems) {
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
  }
}
