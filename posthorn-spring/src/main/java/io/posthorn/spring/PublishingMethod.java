/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** A method with {@link OutboxPublish}, and the variables of its expressions. */
final class PublishingMethod {
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
  private static final String RESULT = "result";

  private final Method method;
  private final @Nullable String @Nullable [] names;

  PublishingMethod(Method method) {
    this.method = method;
    this.names = NAMES.getParameterNames(method);
  }

  /** Those of the method itself; if it has none, those of the methods that it overrides. */
  static Set<OutboxPublish> annotationsOf(Method method) {
    Set<OutboxPublish> own =
        AnnotatedElementUtils.getMergedRepeatableAnnotations(method, OutboxPublish.class);
    return own.isEmpty()
        ? AnnotatedElementUtils.findMergedRepeatableAnnotations(method, OutboxPublish.class)
        : own;
  }

  /** Class, name and parameters, for messages to people. */
  String place() {
    String parameters =
        Arrays.stream(method.getParameterTypes())
            .map(Class::getSimpleName)
            .collect(Collectors.joining(", "));
    return "%s.%s(%s)"
        .formatted(method.getDeclaringClass().getName(), method.getName(), parameters);
  }

  List<Publication> publications() {
    return annotationsOf(method).stream()
        .map(annotation -> new Publication(annotation, place()))
        .toList();
  }

  /** The declared types of the variables, {@code #payload} excepted. */
  Map<String, Class<?>> variables() {
    Map<String, Class<?>> variables = new LinkedHashMap<>();
    Class<?>[] types = method.getParameterTypes();
    for (int i = 0; i < types.length; i++) {
      for (String name : namesOf(i)) {
        variables.put(name, types[i]);
      }
    }
    Class<?> result = method.getReturnType();
    variables.put(RESULT, result == Optional.class ? Object.class : result);
    return variables;
  }

  EvaluationContext context(
      Object target, Object[] args, @Nullable Object result, BeanFactory beans) {
    StandardEvaluationContext context =
        new StandardEvaluationContext(new MethodRoot(target, method, args));
    context.setBeanResolver(new BeanFactoryResolver(beans));
    for (int i = 0; i < args.length; i++) {
      for (String name : namesOf(i)) {
        context.setVariable(name, args[i]);
      }
    }
    context.setVariable(RESULT, Publication.unwrapped(result));
    return context;
  }

  private List<String> namesOf(int parameter) {
    String name = names == null ? null : names[parameter];
    return name == null
        ? List.of("p" + parameter, "a" + parameter)
        : List.of(name, "p" + parameter, "a" + parameter);
  }
}
