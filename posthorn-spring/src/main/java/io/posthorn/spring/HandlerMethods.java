/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.util.Objects.requireNonNull;

import io.posthorn.ConfigurationException;
import io.posthorn.HandlerSpec;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

  /** By outbox, what was handed out for it. */
  private final Map<String, Set<HandlerName>> handedOut = new ConcurrentHashMap<>();

  public HandlerMethods(ListableBeanFactory beans) {
    requireNonNull(beans, "beans");
    this.beans =
        beans instanceof ConfigurableApplicationContext context ? context.getBeanFactory() : beans;
  }

  /** The handlers of the only outbox, or of that which is called {@code outbox}. */
  public List<HandlerSpec<?>> specs() {
    return specs(HandlerName.DEFAULT_OUTBOX);
  }

  /**
   * Looks through all beans.
   *
   * @param outbox as handlers name it by {@link OutboxHandler#outbox}; those that name none belong
   *     to {@code outbox}
   * @throws ConfigurationException naming all mistakes of all beans
   */
  public List<HandlerSpec<?>> specs(String outbox) {
    requireNonNull(outbox, "outbox");
    HandlerScan scan = new HandlerScan(beans);
    report(scan.problems());
    List<BeanHandlers.Found> found =
        scan.found().stream().filter(handler -> handler.name().outbox().equals(outbox)).toList();
    handedOut.put(outbox, found.stream().map(BeanHandlers.Found::name).collect(Collectors.toSet()));
    return found.stream().<HandlerSpec<?>>map(BeanHandlers.Found::spec).toList();
  }

  /**
   * Looks again, if {@link #specs} was called before all singletons existed: now the proxies are
   * known, and the classes behind interfaces, and all outboxes have asked.
   *
   * @throws ConfigurationException naming the handlers that were missed, cannot be called, or
   *     belong to an outbox that did not ask
   */
  @Override
  public void afterSingletonsInstantiated() {
    if (handedOut.isEmpty()) {
      return;
    }
    HandlerScan scan = new HandlerScan(beans);
    report(Stream.concat(scan.problems().stream(), missed(scan.found())).toList());
  }

  private Stream<String> missed(Collection<BeanHandlers.Found> all) {
    return all.stream()
        .filter(
            found ->
                !handedOut.getOrDefault(found.name().outbox(), Set.of()).contains(found.name()))
        .map(this::reason);
  }

  private String reason(BeanHandlers.Found missed) {
    String outbox = missed.name().outbox();
    return handedOut.containsKey(outbox)
        ? "handler method %s was not found, since the class of the bean was not known before the bean was created; let its @Bean method return %s"
            .formatted(missed.method(), missed.method().beanClass().getName())
        : "handler method %s belongs to the outbox \"%s\", which does not exist; there is %s. Name one of them by @OutboxHandler(outbox = …), or define that outbox"
            .formatted(
                missed.method(),
                outbox,
                new TreeSet<>(handedOut.keySet())
                    .stream().collect(Collectors.joining("\", \"", "\"", "\"")));
  }

  private static void report(List<String> problems) {
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
  }
}
