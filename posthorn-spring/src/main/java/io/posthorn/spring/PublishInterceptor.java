/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.Message;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;

/** Publishes what the annotations of a method ask for, after it has returned. */
final class PublishInterceptor implements MethodInterceptor {
  private record Parsed(PublishingMethod method, List<Publication> publications) {}

  private record Batch(String outbox, List<Message> messages) {}

  private final BeanFactory beans;
  private final Outboxes outboxes;
  private final Map<Method, Parsed> parsed = new ConcurrentHashMap<>();

  PublishInterceptor(BeanFactory beans, Outboxes outboxes) {
    this.beans = beans;
    this.outboxes = outboxes;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object result = invocation.proceed();
    Object target = invocation.getThis();
    if (target != null) {
      Method method =
          AopUtils.getMostSpecificMethod(invocation.getMethod(), AopUtils.getTargetClass(target));
      publish(
          parsed.computeIfAbsent(method, PublishInterceptor::parse),
          target,
          invocation.getArguments(),
          result);
    }
    return result;
  }

  private static Parsed parse(Method method) {
    PublishingMethod publishing = new PublishingMethod(method);
    return new Parsed(publishing, publishing.publications());
  }

  private void publish(Parsed method, Object target, Object[] args, @Nullable Object result) {
    List<Batch> batches = new ArrayList<>(); // all are evaluated before the first is published
    for (Publication publication : method.publications) {
      List<Message> messages =
          publication.messages(method.method.context(target, args, result, beans));
      if (!messages.isEmpty()) {
        batches.add(new Batch(publication.outbox(), messages));
      }
    }
    batches.forEach(batch -> outboxes.get(batch.outbox).publishAll(batch.messages));
  }
}
