/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.ConfigurationException;
import io.posthorn.PosthornException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
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
 * Makes {@link OnceOnly} work on beans, by proxies; it needs no other AOP setting. Messages are
 * recorded after other advice, inside the method's own transaction, and before that of {@link
 * OutboxPublish}, so that a message which was handled before publishes nothing; acknowledgments and
 * failures of batches are seen to around all advice, where the transaction has ended.
 *
 * <p>What is wrong with an annotation is reported when the bean is made. Inboxes are looked up when
 * all singletons are there, or at the first call.
 *
 * @since 0.1
 */
@SuppressWarnings("serial") // Serializable by its superclass only
public final class OnceOnlyPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
    implements SmartInitializingSingleton {
  private static final long serialVersionUID = 1L;

  private final Map<Class<?>, Set<Method>> seen = new ConcurrentHashMap<>();
  private @Nullable OnceMethods methods;
  private @Nullable Advisor boundary;

  /**
   * Uses proxies of classes, not of interfaces, where it has to make one. Comes before the
   * post-processors of listeners, which come last: they must get the proxy.
   */
  public OnceOnlyPostProcessor() {
    setProxyTargetClass(true);
    setOrder(Ordered.LOWEST_PRECEDENCE - 2);
  }

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    super.setBeanFactory(beanFactory);
    OnceMethods found = new OnceMethods(beanFactory);
    this.methods = found;
    this.advisor = new DefaultPointcutAdvisor(new AnnotatedMethods(), new OnceInterceptor(found));
    this.boundary = new DefaultPointcutAdvisor(new AnnotatedMethods(), new OnceBoundary(found));
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    if (bean instanceof AopInfrastructureBean) {
      return bean;
    }
    Class<?> beanClass = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
    Set<Method> methods = seen.computeIfAbsent(beanClass, OnceOnlyPostProcessor::annotated);
    if (methods.isEmpty() || isAdvised(bean)) {
      return bean;
    }
    List<String> problems = new ArrayList<>();
    methods.forEach(method -> problems.addAll(OnceMethod.of(method).problems(beanClass)));
    if (isFinal(bean)) {
      problems.add(
          "%s has @OnceOnly methods but is final, so that there can be no proxy of it; make it not final"
              .formatted(beanClass.getName()));
    }
    report(problems);
    Object proxy = super.postProcessAfterInitialization(bean, beanName);
    if (proxy instanceof Advised advised && boundary != null) {
      advised.addAdvisor(0, boundary);
    }
    report(hidden(methods, proxy));
    return proxy;
  }

  /** The same object may be a bean twice. */
  private boolean isAdvised(Object bean) {
    return bean instanceof Advised advised && advisor != null && advised.indexOf(advisor) >= 0;
  }

  private static Set<Method> annotated(Class<?> beanClass) {
    return AnnotationUtils.isCandidateClass(beanClass, OnceOnly.class)
        ? MethodIntrospector.selectMethods(
            beanClass, (MethodFilter) method -> OnceMethod.annotationOf(method) != null)
        : Set.of();
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
            "%s has no effect: the bean's proxy has only the methods of its interfaces; declare the method in one, or set proxyTargetClass = true where proxies are switched on"
                .formatted(OnceMethod.of(method).place()));
      }
    }
    return problems;
  }

  /** Looks up all that annotations name, so that what is missing shows at start-up. */
  @Override
  public void afterSingletonsInstantiated() {
    List<String> problems = new ArrayList<>();
    seen.values().stream()
        .flatMap(Set::stream)
        .distinct()
        .map(OnceMethod::of)
        .forEach(method -> findBeans(method, problems));
    report(problems);
  }

  private void findBeans(OnceMethod method, List<String> problems) {
    try {
      if (methods != null) {
        methods.inbox(method);
        methods.ids(method);
      }
    } catch (PosthornException e) {
      problems.add(method.place() + " will fail: " + e.getMessage());
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
      return OnceMethod.annotationOf(AopUtils.getMostSpecificMethod(method, targetClass)) != null;
    }
  }
}
