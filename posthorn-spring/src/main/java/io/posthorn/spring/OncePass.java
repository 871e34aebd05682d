/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * One pass through the advice of a method with {@link OnceOnly}: what the inner end, inside the
 * transaction, tells the outer one. One thread only.
 */
final class OncePass {
  private final ListenerAcknowledgment acknowledgment;
  private List<?> handed = List.of();

  /**
   * @param acknowledgment which the method has during the pass
   */
  OncePass(ListenerAcknowledgment acknowledgment) {
    this.acknowledgment = acknowledgment;
  }

  static OncePass of(MethodInvocation invocation) {
    return (OncePass)
        requireNonNull(
            ((ProxyMethodInvocation) invocation).getUserAttribute(OncePass.class.getName()),
            "pass");
  }

  /** Goes on to the next advice, with these arguments. */
  @Nullable Object run(ProxyMethodInvocation invocation, Object[] arguments) throws Throwable {
    MethodInvocation next = invocation.invocableClone(arguments);
    ((ProxyMethodInvocation) next).setUserAttribute(OncePass.class.getName(), this);
    return next.proceed();
  }

  /** The messages that were new; none if the method was not called. */
  List<?> handed() {
    return handed;
  }

  /** The method is called; other advice may have it called more than once. */
  void hand(List<?> messages) {
    acknowledgment.forget();
    handed = messages;
  }

  /** Called when the method has returned, before the end of its transaction. */
  void returned() {
    if (acknowledgment.isRefused()) {
      throw new RefusedByListenerException();
    }
  }
}
