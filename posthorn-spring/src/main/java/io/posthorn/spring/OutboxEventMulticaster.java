/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.OutboxMessage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.core.ResolvableType;

/**
 * Records events whose class carries {@link OutboxMessage}, on the publisher's thread and before
 * any listener: an event that is refused is seen by nobody. All else is the delegate's.
 */
final class OutboxEventMulticaster implements ApplicationEventMulticaster {
  private final ApplicationEventMulticaster delegate;
  private final Consumer<Object> recorder;
  private final boolean passOn;

  /**
   * @param passOn whether listeners see recorded events, too
   */
  OutboxEventMulticaster(
      ApplicationEventMulticaster delegate, Consumer<Object> recorder, boolean passOn) {
    this.delegate = delegate;
    this.recorder = recorder;
    this.passOn = passOn;
  }

  @Override
  public void multicastEvent(ApplicationEvent event) {
    if (isForListeners(event)) {
      delegate.multicastEvent(event);
    }
  }

  @Override
  public void multicastEvent(ApplicationEvent event, @Nullable ResolvableType eventType) {
    if (isForListeners(event)) {
      delegate.multicastEvent(event, eventType);
    }
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

  @Override
  public void addApplicationListener(ApplicationListener<?> listener) {
    delegate.addApplicationListener(listener);
  }

  @Override
  public void addApplicationListenerBean(String listenerBeanName) {
    delegate.addApplicationListenerBean(listenerBeanName);
  }

  @Override
  public void removeApplicationListener(ApplicationListener<?> listener) {
    delegate.removeApplicationListener(listener);
  }

  @Override
  public void removeApplicationListenerBean(String listenerBeanName) {
    delegate.removeApplicationListenerBean(listenerBeanName);
  }

  @Override
  public void removeApplicationListeners(Predicate<ApplicationListener<?>> predicate) {
    delegate.removeApplicationListeners(predicate);
  }

  @Override
  public void removeApplicationListenerBeans(Predicate<String> predicate) {
    delegate.removeApplicationListenerBeans(predicate);
  }

  @Override
  public void removeAllListeners() {
    delegate.removeAllListeners();
  }
}
