/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.util.Objects.requireNonNull;

import io.posthorn.PosthornException;
import io.posthorn.inbox.Inbox;
import io.posthorn.inbox.MessageIdFunction;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/** Methods with {@link OnceOnly}, and the beans that their annotations name. */
final class OnceMethods {
  private final BeanFactory beans;
  private final Inboxes inboxes;
  private final Map<Method, OnceMethod> parsed = new ConcurrentHashMap<>();

  OnceMethods(BeanFactory beans) {
    this.beans = beans;
    this.inboxes = new Inboxes(beans);
  }

  OnceMethod of(MethodInvocation invocation) {
    Object target = requireNonNull(invocation.getThis(), "target");
    return parsed.computeIfAbsent(
        AopUtils.getMostSpecificMethod(invocation.getMethod(), AopUtils.getTargetClass(target)),
        OnceMethod::of);
  }

  Inbox inbox(OnceMethod method) {
    return inboxes.get(method.annotation().inbox());
  }

  String consumer(OnceMethod method) {
    String given = method.annotation().consumer();
    String resolved =
        beans instanceof ConfigurableBeanFactory configurable
            ? configurable.resolveEmbeddedValue(given)
            : given;
    return resolved == null ? "" : resolved;
  }

  /**
   * @throws PosthornException if the bean that is named is not there
   */
  @SuppressWarnings("unchecked") // it is for the messages that the method gets
  Function<Object, String> ids(OnceMethod method) {
    String name = method.annotation().id();
    if (name.isEmpty()) {
      return method.ids();
    }
    try {
      MessageIdFunction<Object> function = beans.getBean(name, MessageIdFunction.class);
      return function::idOf;
    } catch (BeansException e) {
      throw new PosthornException(
          "there is no MessageIdFunction bean \"%s\". Define it, or correct the name. %s"
              .formatted(name, e.getMessage()),
          e);
    }
  }

  /** Why a message can't be told from others; null if it can. */
  @Nullable RuntimeException problemWithId(OnceMethod method, Object message) {
    Function<Object, String> ids = ids(method);
    try {
      Inbox.requireMessageId(ids.apply(message));
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }
}
