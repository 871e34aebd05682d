/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * A method with {@link OnceOnly}.
 *
 * @param parameter which one has the message or the messages; -1 if none does
 * @param kind null if none does
 */
record OnceMethod(
    Method method,
    OnceOnly annotation,
    int parameter,
    boolean batch,
    @Nullable ReceivedMessage kind) {

  static @Nullable OnceOnly annotationOf(Method method) {
    return AnnotatedElementUtils.findMergedAnnotation(method, OnceOnly.class);
  }

  static OnceMethod of(Method method) {
    OnceOnly annotation = annotationOf(method);
    if (annotation == null) {
      throw new IllegalArgumentException(method + " has no @OnceOnly");
    }
    for (int i = 0; i < method.getParameterCount(); i++) {
      ResolvableType type = ResolvableType.forMethodParameter(method, i);
      Optional<ReceivedMessage> one = ReceivedMessage.of(type.toClass());
      Optional<ReceivedMessage> each =
          type.toClass() == List.class
              ? ReceivedMessage.of(type.getGeneric(0).toClass())
              : Optional.empty();
      if (one.isPresent() || each.isPresent()) {
        return new OnceMethod(
            method, annotation, i, each.isPresent(), one.or(() -> each).orElseThrow());
      }
    }
    return new OnceMethod(method, annotation, -1, false, null);
  }

  Function<Object, String> ids() {
    if (kind == null) {
      throw new IllegalStateException(place() + " has no message");
    }
    return kind.ids();
  }

  String place() {
    return "@OnceOnly on " + new PublishingMethod(method).place();
  }

  /** What is wrong with it, for people. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (kind == null) {
      problems.add(
          "finds no message: none of the parameters is one of %s, or a List of them; add one, or call the Inbox with an id"
              .formatted(ReceivedMessage.classNames()));
    }
    if (batch && Arrays.stream(method.getParameterTypes()).filter(List.class::equals).count() > 1) {
      problems.add(
          "would take messages out of one List and leave the others as they are; have one List of messages only, and take headers from them");
    }
    Class<?> result = method.getReturnType();
    if (result.isPrimitive() && result != void.class) {
      problems.add(
          "has no result for a message that was handled before: the method returns %s; return nothing, or an object"
              .formatted(result));
    } else if (PublicationCheck.isNotYetThere(result)) {
      problems.add(
          "would record the message before it is handled: the method returns a %s; return the content itself"
              .formatted(result.getName()));
    }
    int modifiers = method.getModifiers();
    if (Modifier.isPrivate(modifiers)
        || Modifier.isStatic(modifiers)
        || Modifier.isFinal(modifiers)) {
      problems.add(
          "has no effect: no proxy sees calls of a private, static or final method; make it a public method that is neither");
    }
    return problems.stream().map(problem -> place() + " " + problem).collect(Collectors.toList());
  }
}
