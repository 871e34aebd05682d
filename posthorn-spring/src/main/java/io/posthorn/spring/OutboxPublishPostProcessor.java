/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.ConfigurationException;
import io.posthorn.PublishException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

/**
 * Makes {@link OutboxPublish} work on beans, by proxies; it needs no other AOP setting. It comes
 * after all other advice, so that messages are published inside the method's own transaction.
 *
 * <p>What is wrong with an annotation is reported when the bean is made. Outboxes are looked up
 * when all singletons are there, or at the first call.
 *
 * @since 0.1
 */
@SuppressWarnings("serial") // Serializable by its superclass only
public final class OutboxPublishPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
    implements SmartInitializingSingleton {
  private static final long serialVersionUID = 1L;

  private final Map<Class<?>, Set<Method>> seen = new ConcurrentHashMap<>();
  private @Nullable Outboxes outboxes;

  /**
   * Uses proxies of classes, not of interfaces, where it has to make one. Comes before the
   * post-processors of listeners, which come last: they must get the proxy.
   */
  public OutboxPublishPostProcessor() {
    setProxyTargetClass(true);
    setOrder(Ordered.LOWEST_PRECEDENCE - 1);
  }

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    super.setBeanFactory(beanFactory);
    Outboxes found = new Outboxes(beanFactory);
    this.outboxes = found;
    this.advisor =
        new DefaultPointcutAdvisor(
            new AnnotatedMethods(), new PublishInterceptor(beanFactory, found));
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    if (bean instanceof AopInfrastructureBean || isAdvised(bean)) {
      return bean;
    }
    Class<?> beanClass = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
    Set<Method> methods = seen.computeIfAbsent(beanClass, OutboxPublishPostProcessor::annotated);
    List<String> problems = new ArrayList<>();
    methods.forEach(method -> problems.addAll(new PublicationCheck(method).problems()));
    problems.addAll(unimplemented(bean, beanClass));
    if (!methods.isEmpty() && isFinal(bean)) {
      problems.add(
          "%s has @OutboxPublish methods but is final, so that there can be no proxy of it; make it not final"
              .formatted(beanClass.getName()));
    }
    report(problems);
    Object proxy = super.postProcessAfterInitialization(bean, beanName);
    report(hidden(methods, proxy));
    return proxy;
  }

  /** The same object may be a bean twice; it publishes once. */
  private boolean isAdvised(Object bean) {
    Object candidate = bean;
    while (candidate instanceof Advised advised) {
      if (advisor != null && advised.indexOf(advisor) >= 0) {
        return true;
      }
      candidate = AopProxyUtils.getSingletonTarget(candidate);
    }
    return false;
  }

  private static Set<Method> annotated(Class<?> beanClass) {
    return AnnotationUtils.isCandidateClass(beanClass, OutboxPublish.class)
        ? MethodIntrospector.selectMethods(
            beanClass, (MethodFilter) method -> !PublishingMethod.annotationsOf(method).isEmpty())
        : Set.of();
  }

  /** Of repositories and clients, whose methods have no body that advice could be put around. */
  private static List<String> unimplemented(Object bean, Class<?> beanClass) {
    return bean instanceof Advised advised
        ? Stream.of(advised.getProxiedInterfaces())
            .filter(type -> !type.isAssignableFrom(beanClass))
            .flatMap(type -> annotated(type).stream())
            .map(
                method ->
                    "@OutboxPublish on %s has no effect: %s does not implement the method; annotate a method of a bean that calls it"
                        .formatted(new PublishingMethod(method).place(), beanClass.getName()))
            .toList()
        : List.of();
  }

  private static boolean isFinal(Object bean) {
    return !(bean instanceof Advised)
        && !Proxy.isProxyClass(bean.getClass())
        && Modifier.isFinal(bean.getClass().getModifiers());
  }

  private static List<String> hidden(Set<Method> methods, Object proxy) {
    List<String> problems = new ArrayList<>();
    for (Method method : methods) {
      try {
        AopUtils.selectInvocableMethod(method, proxy.getClass());
      } catch (IllegalStateException e) {
        problems.add(
            "@OutboxPublish on %s has no effect: the bean's proxy has only the methods of its interfaces; declare the method in one, or set proxyTargetClass = true where proxies are switched on"
                .formatted(new PublishingMethod(method).place()));
      }
    }
    return problems;
  }

  /** Looks all named outboxes up, so that a wrong name shows at start-up. */
  @Override
  public void afterSingletonsInstantiated() {
    List<String> problems = new ArrayList<>();
    seen.values().stream()
        .flatMap(Set::stream)
        .distinct()
        .forEach(method -> findOutboxes(method, problems));
    report(problems);
  }

  private void findOutboxes(Method method, List<String> problems) {
    for (OutboxPublish annotation : PublishingMethod.annotationsOf(method)) {
      try {
        if (outboxes != null) {
          outboxes.get(annotation.outbox());
        }
      } catch (PublishException e) {
        problems.add(
            "@OutboxPublish on %s will fail: %s"
                .formatted(new PublishingMethod(method).place(), e.getMessage()));
      }
    }
  }

  private static void report(List<String> problems) {
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
  }

  private static final class AnnotatedMethods extends StaticMethodMatcherPointcut {
    @Override
    public boolean matches(Method method, Class<?> targetClass) {
      return !PublishingMethod.annotationsOf(AopUtils.getMostSpecificMethod(method, targetClass))
          .isEmpty();
    }
  }
}
