/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.Batch;
import io.posthorn.Delivery;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * What a method takes: first the payload or a batch of payloads, then any of the others, each once.
 *
 * @param payloadClass of a batch, that of its items
 * @param others {@link Delivery} and {@link Throwable}, in the order of the method
 */
record MethodParameters(Class<?> payloadClass, boolean batch, List<Class<?>> others) {
  MethodParameters {
    others = List.copyOf(others);
  }

  @Nullable Object[] arguments(
      @Nullable Object payload, Delivery delivery, @Nullable Throwable cause) {
    @Nullable Object[] arguments = new @Nullable Object[1 + others.size()];
    arguments[0] = payload;
    for (int i = 0; i < others.size(); i++) {
      arguments[i + 1] = others.get(i) == Delivery.class ? delivery : cause;
    }
    return arguments;
  }

  /**
   * @param what the kind of method, for messages
   * @param allowed what it may take beside the payload
   * @param problems gets all that is wrong; then the result is empty
   */
  static Optional<MethodParameters> of(
      BeanMethod method, String what, List<Class<?>> allowed, List<String> problems) {
    Class<?>[] types = method.method().getParameterTypes();
    if (types.length == 0) {
      problems.add("%s %s has no parameter; the first must be the payload".formatted(what, method));
      return Optional.empty();
    }
    ResolvableType first =
        ResolvableType.forMethodParameter(method.method(), 0, method.beanClass());
    boolean batch = types[0] == Batch.class;
    ResolvableType payload = batch ? first.getGeneric(0) : first;
    List<Class<?>> others = Arrays.asList(types).subList(1, types.length);
    int before = problems.size();
    problemWithPayload(payload)
        .ifPresent(problem -> problems.add("%s %s %s".formatted(what, method, problem)));
    checkOthers(method, what, others, batch ? List.of() : allowed, problems);
    return problems.size() == before
        ? Optional.of(new MethodParameters(payload.toClass(), batch, others))
        : Optional.empty();
  }

  private static void checkOthers(
      BeanMethod method,
      String what,
      List<Class<?>> others,
      List<Class<?>> allowed,
      List<String> problems) {
    Set<Class<?>> seen = new HashSet<>();
    for (int i = 0; i < others.size(); i++) {
      if (!allowed.contains(others.get(i)) || !seen.add(others.get(i))) {
        problems.add(
            "%s %s has %s as parameter %d; %s"
                .formatted(what, method, others.get(i).getSimpleName(), i + 2, rule(allowed)));
      }
    }
  }

  private static String rule(List<Class<?>> allowed) {
    return switch (allowed.size()) {
      case 0 -> "a Batch must be the only one";
      case 1 -> "the second must be Delivery, and there may be no more";
      default -> "after the payload there may be one Delivery and one Throwable, nothing else";
    };
  }

  private static Optional<String> problemWithPayload(ResolvableType type) {
    Class<?> payloadClass = type.resolve();
    if (payloadClass == null) {
      return Optional.of("does not tell the class of its payload; declare it, as in Batch<Order>");
    }
    if (payloadClass == Delivery.class || Throwable.class.isAssignableFrom(payloadClass)) {
      return Optional.of(
          "has %s as parameter 1; the first must be the payload"
              .formatted(payloadClass.getSimpleName()));
    }
    if (payloadClass.isPrimitive()) {
      return Optional.of(
          "takes a payload of the primitive type %s; use its wrapper class"
              .formatted(payloadClass));
    }
    if (!(type.getType() instanceof Class) && !survivesErasure(type.getGenerics())) {
      return Optional.of(
          "takes a payload of type %s, but the codec would see %s only; use a class without type arguments, or an array"
              .formatted(type, payloadClass.getSimpleName()));
    }
    return Optional.empty();
  }

  /** Whether codecs fill in what is meant although they do not see it. */
  private static boolean survivesErasure(ResolvableType... arguments) {
    Set<Class<?>> natural =
        Set.of(Object.class, String.class, Map.class, List.class, Collection.class);
    return Arrays.stream(arguments)
        .allMatch(
            argument ->
                natural.contains(argument.resolve(Object.class))
                    && survivesErasure(argument.getGenerics()));
  }
}
