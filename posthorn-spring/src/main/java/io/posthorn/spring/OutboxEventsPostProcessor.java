/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.util.Objects.requireNonNull;

import io.posthorn.Outbox;
import io.posthorn.OutboxMessage;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.HierarchicalBeanFactory;
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
 * <p>Define it as a bean by a static method. It advises the bean {@code
 * applicationEventMulticaster}, the application's own if there is one, which keeps its class and
 * its interfaces. Events of a child context are recorded once, by the parent if that records.
 *
 * @since 0.1
 */
@SuppressWarnings("serial") // Serializable by its superclass only
public final class OutboxEventsPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
    implements BeanDefinitionRegistryPostProcessor {
  private static final long serialVersionUID = 1L;
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
    setProxyTargetClass(true);
    setBeforeExistingAdvisors(true);
  }

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    super.setBeanFactory(beanFactory);
    this.beans = beanFactory;
    Outboxes outboxes = new Outboxes(beanFactory);
    NameMatchMethodPointcut multicasting = new NameMatchMethodPointcut();
    multicasting.setMappedName("multicastEvent");
    this.advisor =
        new DefaultPointcutAdvisor(
            multicasting, new EventRecorder(event -> outboxes.get(outbox).publish(event), passOn));
  }

  /** Defines a multicaster as Spring would make it: its own is no bean that could be advised. */
  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    if (!registry.isBeanNameInUse(MULTICASTER)) {
      registry.registerBeanDefinition(
          MULTICASTER, new RootBeanDefinition(SimpleApplicationEventMulticaster.class));
    }
  }

  @Override
  public Class<?> determineBeanType(Class<?> beanClass, String beanName) {
    return beanName.equals(MULTICASTER) && !parentRecords(beans)
        ? super.determineBeanType(beanClass, beanName)
        : beanClass;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    return beanName.equals(MULTICASTER)
            && bean instanceof ApplicationEventMulticaster
            && !parentRecords(beans)
        ? super.postProcessAfterInitialization(bean, beanName)
        : bean;
  }

  /** A final class can only lend its interfaces. */
  @Override
  protected ProxyFactory prepareProxyFactory(Object bean, String beanName) {
    ProxyFactory factory = super.prepareProxyFactory(bean, beanName);
    factory.setProxyTargetClass(!Modifier.isFinal(bean.getClass().getModifiers()));
    return factory;
  }

  /** Events go up to parents, which would record them a second time. */
  private static boolean parentRecords(@Nullable BeanFactory beans) {
    BeanFactory parent =
        beans instanceof HierarchicalBeanFactory child ? child.getParentBeanFactory() : null;
    return parent != null
        && parent.containsBean(MULTICASTER)
        && parent.getBean(MULTICASTER) instanceof Advised advised
        && records(advised);
  }

  private static boolean records(Advised advised) {
    for (Advisor each : advised.getAdvisors()) {
      if (each.getAdvice() instanceof EventRecorder) {
        return true;
      }
    }
    return false;
  }
}
