/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.kafka.support.Acknowledgment;

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

  private static final String ACKNOWLEDGMENT = "org.springframework.kafka.support.Acknowledgment";
  private static final String RABBIT_LISTENER =
      "org.springframework.amqp.rabbit.annotation.RabbitListener";

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

  /** The message or the messages of a call. */
  Object message(MethodInvocation invocation) {
    return requireNonNull(invocation.getArguments()[parameter], "the message of " + place());
  }

  /** By which the method tells the broker itself what became of its messages. */
  ListenerAcknowledgment acknowledgment(Object[] arguments) {
    for (int i = 0; i < arguments.length; i++) {
      Class<?> type = method.getParameterTypes()[i];
      ReceivedMessage received = kind;
      if (arguments[i] == null || received == null) {
        continue;
      }
      if (type.getName().equals(ACKNOWLEDGMENT)) {
        return OfKafka.acknowledgment(arguments[i], i, batch);
      }
      if (type.getName().equals(RabbitAcknowledgment.CHANNEL)
          && rabbitMode().filter("MANUAL"::equals).isPresent()) {
        return new RabbitAcknowledgment(arguments[i], i, type, received::deliveryTag);
      }
    }
    return ListenerAcknowledgment.NONE;
  }

  /** Of a listener of Spring AMQP's; empty text: as its container has it. */
  private Optional<String> rabbitMode() {
    return Optional.ofNullable(
            AnnotatedElementUtils.getMergedAnnotationAttributes(method, RABBIT_LISTENER))
        .map(listener -> listener.getString("ackMode"));
  }

  private boolean leavesOpenWhoAcknowledges() {
    return rabbitMode().filter(String::isEmpty).isPresent()
        && Arrays.stream(method.getParameterTypes())
            .anyMatch(type -> type.getName().equals(RabbitAcknowledgment.CHANNEL));
  }

  /** Loaded where there is Spring Kafka. */
  private static final class OfKafka {
    static ListenerAcknowledgment acknowledgment(Object real, int parameter, boolean batch) {
      return new KafkaAcknowledgment((Acknowledgment) real, parameter, batch);
    }
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

  /**
   * What is wrong with it, for people.
   *
   * @param beanClass of the bean that has it, maybe by inheritance
   */
  List<String> problems(Class<?> beanClass) {
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
    if (AsyncMark.isOn(method, beanClass)) {
      problems.add(
          "would let a broker forget the message before it is handled: the method is @Async; call it on the listener's own thread");
    }
    if (leavesOpenWhoAcknowledges()) {
      problems.add(
          "leaves open who acknowledges a message that was handled before: the method has a Channel; say ackMode = \"MANUAL\" or \"AUTO\" on @RabbitListener");
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
