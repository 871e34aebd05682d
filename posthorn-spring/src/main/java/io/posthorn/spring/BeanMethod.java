/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ReflectionUtils;

/**
 * A method of a bean, called through the bean as the context hands it out: a singleton is created
 * at the first call if it was not before, and a prototype for each call.
 *
 * @param beanClass the class behind all proxies
 * @param method as declared in that class or above it
 */
record BeanMethod(BeanFactory beans, String beanName, Class<?> beanClass, Method method) {

  /**
   * Calls the method. What it throws comes out as it was thrown.
   *
   * @throws IllegalStateException if the bean is proxied so that the method cannot be reached
   */
  @Nullable Object call(@Nullable Object[] arguments) throws Exception {
    Object bean = beans.getBean(beanName);
    Method reachable = reachableIn(bean.getClass());
    ReflectionUtils.makeAccessible(reachable);
    try {
      return reachable.invoke(bean, arguments);
    } catch (InvocationTargetException e) {
      throw BeanMethod.<RuntimeException>asThrown(thrownByTarget(e.getCause(), bean));
    }
  }

  /** Proxies wrap checked exceptions that a method throws without declaring them. */
  private static @Nullable Throwable thrownByTarget(@Nullable Throwable thrown, Object bean) {
    return thrown instanceof UndeclaredThrowableException wrapper && AopUtils.isAopProxy(bean)
        ? wrapper.getUndeclaredThrowable()
        : thrown;
  }

  /** The compiler takes it for unchecked, whatever it is. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> T asThrown(@Nullable Throwable thrown) throws T {
    throw (T) (thrown == null ? new IllegalStateException("nothing was thrown") : thrown);
  }

  /**
   * @param actual the class of the bean, perhaps of a proxy
   * @throws IllegalStateException if calls of the proxy do not reach the method
   */
  Method reachableIn(Class<?> actual) {
    boolean proxiedByClass =
        SpringProxy.class.isAssignableFrom(actual) && !Proxy.isProxyClass(actual);
    int modifiers = method.getModifiers();
    if (proxiedByClass && (Modifier.isPrivate(modifiers) || Modifier.isFinal(modifiers))) {
      throw new IllegalStateException(
          "%s is %s, so that the proxy of its bean cannot pass calls on; make it package-private or wider, and not final"
              .formatted(this, Modifier.isPrivate(modifiers) ? "private" : "final"));
    }
    try {
      return AopUtils.selectInvocableMethod(method, actual);
    } catch (IllegalStateException e) {
      throw new IllegalStateException(
          this
              + " is in no interface of the proxy of its bean; declare it in an interface that the class implements, or have the bean proxied by class (proxyTargetClass = true)",
          e);
    }
  }

  /** As in messages: {@code com.acme.Mailer.on(Order, Delivery) of bean "mailer"}. */
  @Override
  public String toString() {
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(
            Collectors.joining(
                ", ",
                method.getDeclaringClass().getName() + "." + method.getName() + "(",
                ") of bean \"" + beanName + "\""));
  }
}
