/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.OutboxMessage;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;

/**
 * Around the methods that multicast an event: records those whose class carries {@link
 * OutboxMessage}, on the publisher's thread and before any listener. An event that is refused is
 * seen by nobody.
 *
 * @param passOn whether listeners see recorded events, too
 */
record EventRecorder(Consumer<Object> recorder, boolean passOn) implements MethodInterceptor {
  @Override
  public @Nullable Object invoke(MethodInvocation call) throws Throwable {
    @Nullable Object[] arguments = call.getArguments();
    return arguments.length > 0
            && arguments[0] instanceof ApplicationEvent event
            && !isForListeners(event)
        ? null
        : call.proceed();
  }

  /** Records the event if it is a message. */
  private boolean isForListeners(ApplicationEvent event) {
    Object payload = payloadOf(event);
    if (!payload.getClass().isAnnotationPresent(OutboxMessage.class)) {
      return true;
    }
    recorder.accept(payload);
    return passOn;
  }

  private static Object payloadOf(ApplicationEvent event) {
    return event instanceof PayloadApplicationEvent<?> wrapper
            && !event.getClass().isAnnotationPresent(OutboxMessage.class)
        ? wrapper.getPayload()
        : event;
  }
}
