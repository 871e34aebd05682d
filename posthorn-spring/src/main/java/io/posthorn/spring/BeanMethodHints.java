/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.Batch;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

/**
 * What native images must know of the annotated methods of a bean: handlers and fallbacks are
 * called by reflection, and payloads are read and written by a codec and by expressions.
 */
final class BeanMethodHints implements BeanRegistrationAotProcessor {
  @Override
  public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
    Class<?> beanClass = ClassUtils.getUserClass(bean.getBeanClass());
    Set<Method> called = select(beanClass, BeanMethodHints::isCalled);
    Set<Method> publishing =
        select(beanClass, method -> !PublishingMethod.annotationsOf(method).isEmpty());
    if (called.isEmpty() && publishing.isEmpty()) {
      return null;
    }
    Set<Type> bound = new LinkedHashSet<>();
    called.forEach(method -> bound.add(payload(method, beanClass)));
    publishing.forEach(method -> bound.addAll(inExpressions(method)));
    return (generation, code) -> {
      ReflectionHints hints = generation.getRuntimeHints().reflection();
      called.forEach(method -> registerCalls(hints, method, beanClass));
      new BindingReflectionHintsRegistrar()
          .registerReflectionHints(hints, bound.toArray(Type[]::new));
    };
  }

  private static Set<Method> select(Class<?> beanClass, MethodFilter filter) {
    return MethodIntrospector.selectMethods(beanClass, filter);
  }

  private static boolean isCalled(Method method) {
    return (AnnotatedElementUtils.hasAnnotation(method, OutboxHandler.class)
            || AnnotatedElementUtils.hasAnnotation(method, OutboxFallback.class))
        && method.getParameterCount() > 0;
  }

  private static Class<?> payload(Method method, Class<?> beanClass) {
    ResolvableType first = ResolvableType.forMethodParameter(method, 0, beanClass);
    return (first.toClass() == Batch.class ? first.getGeneric(0) : first).toClass();
  }

  /** On a bean that is proxied by interface, the interface's method is called. */
  private static void registerCalls(ReflectionHints hints, Method method, Class<?> beanClass) {
    hints.registerMethod(method, ExecutableMode.INVOKE);
    for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(beanClass)) {
      Method declared =
          ClassUtils.getMethodIfAvailable(type, method.getName(), method.getParameterTypes());
      if (declared != null) {
        hints.registerMethod(declared, ExecutableMode.INVOKE);
      }
    }
  }

  /** The result, which is the payload if nothing else is, and the parameters that are named. */
  private static Set<Type> inExpressions(Method method) {
    Set<Type> types = new LinkedHashSet<>();
    types.add(method.getGenericReturnType());
    Map<String, Class<?>> variables = new PublishingMethod(method).variables();
    for (OutboxPublish annotation : PublishingMethod.annotationsOf(method)) {
      Stream.concat(
              Stream.of(annotation.payload(), annotation.key()),
              Arrays.stream(annotation.headers()))
          .forEach(text -> types.addAll(named(variables, text)));
    }
    return types;
  }

  private static Set<Class<?>> named(Map<String, Class<?>> variables, String text) {
    Set<Class<?>> types = new LinkedHashSet<>();
    variables.forEach(
        (name, type) -> {
          if (text.contains("#" + name)) {
            types.add(type);
          }
        });
    return types;
  }
}
