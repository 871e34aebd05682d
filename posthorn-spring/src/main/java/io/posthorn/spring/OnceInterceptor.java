/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.util.Objects.requireNonNull;

import io.posthorn.inbox.Inbox;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;

/** Goes on to the method with messages that are new, by an inbox. */
final class OnceInterceptor implements MethodInterceptor {
  private final Inboxes inboxes;
  private final UnaryOperator<String> placeholders;
  private final Map<Method, OnceMethod> parsed = new ConcurrentHashMap<>();

  /**
   * @param placeholders puts values in place of them
   */
  OnceInterceptor(Inboxes inboxes, UnaryOperator<String> placeholders) {
    this.inboxes = inboxes;
    this.placeholders = placeholders;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = requireNonNull(invocation.getThis(), "target");
    OnceMethod method =
        parsed.computeIfAbsent(
            AopUtils.getMostSpecificMethod(invocation.getMethod(), AopUtils.getTargetClass(target)),
            OnceMethod::of);
    Inbox inbox = inboxes.get(method.annotation().inbox());
    String consumer = placeholders.apply(method.annotation().consumer());
    Object received =
        requireNonNull(
            invocation.getArguments()[method.parameter()], "the message of " + method.place());
    AtomicReference<@Nullable Object> result = new AtomicReference<>();
    if (method.batch()) {
      inbox.onceEach(
          consumer,
          (List<?>) received,
          method.ids(),
          fresh -> result.set(proceed(invocation, method.parameter(), fresh)));
    } else {
      inbox.once(
          consumer,
          method.ids().apply(received),
          () -> result.set(proceed(invocation, method.parameter(), received)));
    }
    return result.get();
  }

  private static @Nullable Object proceed(
      MethodInvocation invocation, int parameter, Object messages) throws Exception {
    if (invocation instanceof ProxyMethodInvocation proxied) {
      Object[] arguments = invocation.getArguments().clone();
      arguments[parameter] = messages;
      proxied.setArguments(arguments);
    }
    try {
      return invocation.proceed();
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new UndeclaredThrowableException(e);
    }
  }
}
