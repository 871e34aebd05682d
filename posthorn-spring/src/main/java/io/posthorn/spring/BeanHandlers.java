/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.HandlerSpec;
import io.posthorn.RetryPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.SpringProxy;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Reads the annotated methods of one bean. Each bean gets a fresh one. */
final class BeanHandlers {
  private final ListableBeanFactory beans;
  private final String beanName;
  private final Class<?> beanClass;
  private final List<String> problems;
  private final List<HandlerMethod> handlers = new ArrayList<>();
  private final Map<HandlerMethod, OutboxRetryable> retries = new LinkedHashMap<>();
  private final List<FallbackMethod> fallbacks = new ArrayList<>();

  /** At least one of them is not null. */
  private record Marks(
      @Nullable OutboxHandler handler,
      @Nullable OutboxFallback fallback,
      @Nullable OutboxRetryable retry) {
    static @Nullable Marks of(Method method) {
      Marks marks =
          new Marks(
              AnnotatedElementUtils.findMergedAnnotation(method, OutboxHandler.class),
              AnnotatedElementUtils.findMergedAnnotation(method, OutboxFallback.class),
              AnnotatedElementUtils.findMergedAnnotation(method, OutboxRetryable.class));
      return marks.handler == null && marks.fallback == null && marks.retry == null ? null : marks;
    }
  }

  /**
   * @param beanClass the class behind all proxies
   * @param problems gets all that is wrong
   */
  BeanHandlers(
      ListableBeanFactory beans, String beanName, Class<?> beanClass, List<String> problems) {
    this.beans = beans;
    this.beanName = beanName;
    this.beanClass = beanClass;
    this.problems = problems;
  }

  /** A handler and what it becomes. */
  record Found(HandlerName name, BeanMethod method, HandlerSpec<?> spec) {}

  /** All handlers without mistakes. */
  List<Found> find() {
    int before = problems.size();
    Map<Method, Marks> marked =
        MethodIntrospector.selectMethods(
            beanClass, (MethodIntrospector.MetadataLookup<Marks>) Marks::of);
    marked.entrySet().stream()
        // Reflection gives methods in any order; people want their mistakes in the same one.
        .sorted(Comparator.comparing(entry -> entry.getKey().toString()))
        .forEach(entry -> read(entry.getKey(), entry.getValue()));
    boolean allRead = problems.size() == before;
    Optional<RetryPolicy> ofClass = retryOfClass(marked);
    FallbackChoice choice = new FallbackChoice(fallbacks, problems);
    List<Found> found =
        handlers.stream().map(handler -> found(handler, ofClass.orElse(null), choice)).toList();
    // A fallback may belong to a handler that could not be read.
    if (allRead) {
      choice.reportUnused(handlers);
    }
    return found;
  }

  private void read(Method method, Marks marks) {
    BeanMethod beanMethod = new BeanMethod(beans, beanName, beanClass, method);
    if (Modifier.isStatic(method.getModifiers())) {
      problems.add(
          "method %s is static, but messages are handed to beans; remove static"
              .formatted(beanMethod));
    } else if (marks.handler != null && marks.fallback != null) {
      problems.add(
          "method %s is both an @OutboxHandler and an @OutboxFallback; choose one"
              .formatted(beanMethod));
    } else if (marks.handler == null && marks.retry != null) {
      problems.add(
          "method %s is @OutboxRetryable but no @OutboxHandler, so there is nothing to retry; remove it"
              .formatted(beanMethod));
    } else if (AsyncMark.isOn(method, beanClass)) {
      problems.add(
          "method %s is @Async, so that its failures would be lost and its messages count as delivered; remove @Async: handlers run on the relay's workers"
              .formatted(beanMethod));
    } else if (isReachable(beanMethod)) {
      read(beanMethod, marks);
    }
  }

  /** Of most beans that do not exist yet the proxy is not known. */
  private boolean isReachable(BeanMethod method) {
    Class<?> actual = beans.getType(beanName, false);
    try {
      if (actual != null && SpringProxy.class.isAssignableFrom(actual)) {
        method.reachableIn(actual);
      }
      return true;
    } catch (IllegalStateException e) {
      problems.add("method " + e.getMessage());
      return false;
    }
  }

  private void read(BeanMethod method, Marks marks) {
    if (marks.handler != null) {
      Optional<HandlerMethod> handler = HandlerMethod.read(method, marks.handler, problems);
      handler.ifPresent(handlers::add);
      OutboxRetryable retry = marks.retry;
      if (handler.isPresent() && retry != null) {
        retries.put(handler.get(), retry);
      }
    } else if (marks.fallback != null) {
      FallbackMethod.read(method, marks.fallback, problems).ifPresent(fallbacks::add);
    }
  }

  private Optional<RetryPolicy> retryOfClass(Map<Method, Marks> marked) {
    OutboxRetryable retry =
        AnnotatedElementUtils.findMergedAnnotation(beanClass, OutboxRetryable.class);
    if (retry == null) {
      return Optional.empty();
    }
    // A superclass may say it for those of its subclasses that have handlers.
    if (marked.values().stream().allMatch(marks -> marks.handler == null)
        && AnnotatedElementUtils.isAnnotated(beanClass, OutboxRetryable.class)) {
      problems.add(
          "class %s of bean \"%s\" is @OutboxRetryable but has no @OutboxHandler method; remove it, or annotate one"
              .formatted(beanClass.getName(), beanName));
    }
    return policy(retry, "class %s of bean \"%s\"".formatted(beanClass.getName(), beanName));
  }

  private Optional<RetryPolicy> policy(OutboxRetryable retry, String where) {
    RetrySettings settings = new RetrySettings(retry, where, beans);
    Optional<RetryPolicy> policy = settings.policy();
    problems.addAll(settings.problems());
    return policy;
  }

  private Found found(HandlerMethod handler, @Nullable RetryPolicy ofClass, FallbackChoice choice) {
    OutboxRetryable own = retries.get(handler);
    RetryPolicy retry =
        own == null ? ofClass : policy(own, "handler method " + handler.method()).orElse(null);
    return new Found(handler.name(), handler.method(), handler.spec(retry, choice.of(handler)));
  }
}
