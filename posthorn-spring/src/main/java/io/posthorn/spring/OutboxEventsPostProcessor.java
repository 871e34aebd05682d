/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.util.Objects.requireNonNull;

import io.posthorn.Outbox;
import io.posthorn.OutboxMessage;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;

/**
 * Records events of Spring's {@code ApplicationEventPublisher} in the outbox if their class carries
 * {@link OutboxMessage}; other events are left alone. A {@link io.posthorn.PublishException}, for
 * want of a transaction for example, reaches the one who published the event.
 *
 * <p>Define it as a bean by a static method. It wraps the bean {@code applicationEventMulticaster},
 * the application's own if there is one. Events of a child context are recorded once, by the parent
 * if that records.
 *
 * @since 0.1
 */
public final class OutboxEventsPostProcessor
    implements BeanDefinitionRegistryPostProcessor, BeanPostProcessor, BeanFactoryAware {
  private static final String MULTICASTER =
      AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME;

  private final boolean passOn;
  private final String outbox;
  private @Nullable BeanFactory beans;

  /** Lets local listeners see recorded events, and uses the only or primary outbox. */
  public OutboxEventsPostProcessor() {
    this(true, "");
  }

  /**
   * @param passOn whether local listeners see recorded events, too
   * @param outbox the name or qualifier of the {@link Outbox} bean; empty: the only or primary one
   */
  public OutboxEventsPostProcessor(boolean passOn, String outbox) {
    this.passOn = passOn;
    this.outbox = requireNonNull(outbox, "outbox");
  }

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    this.beans = beanFactory;
  }

  /** Defines a multicaster as Spring would make it: its own is no bean that could be wrapped. */
  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    if (!registry.isBeanNameInUse(MULTICASTER)) {
      registry.registerBeanDefinition(
          MULTICASTER, new RootBeanDefinition(SimpleApplicationEventMulticaster.class));
    }
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    if (beanName.equals(MULTICASTER)
        && bean instanceof ApplicationEventMulticaster multicaster
        && beans != null
        && !parentRecords(beans)) {
      Outboxes outboxes = new Outboxes(beans);
      return new OutboxEventMulticaster(
          multicaster, event -> outboxes.get(outbox).publish(event), passOn);
    }
    return bean;
  }

  /** Events go up to parents, which would record them a second time. */
  private static boolean parentRecords(BeanFactory beans) {
    BeanFactory parent =
        beans instanceof HierarchicalBeanFactory child ? child.getParentBeanFactory() : null;
    return parent != null
        && parent.containsBean(MULTICASTER)
        && parent.getBean(MULTICASTER) instanceof OutboxEventMulticaster;
  }
}
