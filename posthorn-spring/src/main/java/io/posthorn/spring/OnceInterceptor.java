/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The inner end of {@link OnceOnly}, inside the transaction of the method: goes on to it with
 * messages that are new, by an inbox.
 */
final class OnceInterceptor implements MethodInterceptor {
  private final OnceMethods methods;

  OnceInterceptor(OnceMethods methods) {
    this.methods = methods;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    OnceMethod method = methods.of(invocation);
    Object received = method.message(invocation);
    AtomicReference<@Nullable Object> result = new AtomicReference<>();
    if (method.batch()) {
      methods
          .inbox(method)
          .onceEach(
              methods.consumer(method),
              (List<?>) received,
              methods.ids(method),
              fresh -> result.set(proceed(invocation, method, fresh, fresh)));
    } else {
      methods
          .inbox(method)
          .once(
              methods.consumer(method),
              methods.ids(method).apply(received),
              () -> result.set(proceed(invocation, method, received, List.of(received))));
    }
    return result.get();
  }

  private static @Nullable Object proceed(
      MethodInvocation invocation, OnceMethod method, Object message, List<?> handed)
      throws Exception {
    invocation.getArguments()[method.parameter()] = message;
    OncePass pass = OncePass.of(invocation);
    pass.hand(handed);
    try {
      Object result = invocation.proceed();
      pass.returned();
      return result;
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new UndeclaredThrowableException(e);
    }
  }
}
