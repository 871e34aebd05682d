/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.posthorn.Batch;
import io.posthorn.ConfigurationException;
import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;

/** What is wrong with handlers is told together, with class, method and fix. */
class HandlerMistakesTest {

  /** Those of one bean, with {@code Bean} for the name of its class. */
  private static List<String> problems(Class<?> beanClass) {
    try (var context = new AnnotationConfigApplicationContext()) {
      context.registerBean("bean", beanClass);
      context.refresh();
      return catchThrowableOfType(
              ConfigurationException.class, () -> new HandlerMethods(context).specs())
          .problems()
          .stream()
          .map(problem -> problem.replace(beanClass.getName(), "Bean"))
          .toList();
    }
  }

  static class Elsewhere {
    @Async
    @OutboxHandler(type = "t")
    void a(String payload) {}
  }

  @Async
  static class AllElsewhere {
    @OutboxHandler(type = "t")
    void a(String payload) {}
  }

  @Test
  void asynchronousHandlers() { // issue 18, E14
    String problem =
        "method Bean.a(String) of bean \"bean\" is @Async, so that its failures would be lost and its messages count as delivered; remove @Async: handlers run on the relay's workers";
    assertThat(problems(Elsewhere.class)).containsExactly(problem);
    assertThat(problems(AllElsewhere.class)).containsExactly(problem);
  }

  static class Parameters {
    @OutboxHandler(type = "t")
    void a() {}

    @OutboxHandler(type = "t")
    void b(String payload, int number) {}

    @OutboxHandler(type = "t")
    void c(String payload, Delivery delivery, Delivery again) {}

    @OutboxHandler(type = "t")
    void d(Delivery delivery) {}

    @OutboxHandler(type = "t")
    void e(int payload) {}

    @OutboxHandler(type = "t")
    void f(List<Order> payload) {}

    @OutboxHandler(type = "t")
    <T> void g(T payload) {}

    @OutboxHandler(type = "t")
    void h(Batch<?> batch) {}

    @OutboxHandler(type = "t")
    void i(Batch<String> batch, Delivery delivery) {}

    @OutboxHandler(type = "t")
    void j(String payload, Throwable cause) {}
  }

  @Test
  void wrongParametersOfHandlers() {
    String second = "the second must be Delivery, and there may be no more";
    assertThat(problems(Parameters.class))
        .containsExactlyInAnyOrder(
            "handler method Bean.a() of bean \"bean\" has no parameter; the first must be the payload",
            "handler method Bean.b(String, int) of bean \"bean\" has int as parameter 2; " + second,
            "handler method Bean.c(String, Delivery, Delivery) of bean \"bean\" has Delivery as parameter 3; "
                + second,
            "handler method Bean.d(Delivery) of bean \"bean\" has Delivery as parameter 1; the first must be the payload",
            "handler method Bean.e(int) of bean \"bean\" takes a payload of the primitive type int; use its wrapper class",
            "handler method Bean.f(List) of bean \"bean\" takes a payload of type java.util.List<io.posthorn.spring.Order>, but the codec would see List only; use a class without type arguments, or an array",
            "handler method Bean.g(Object) of bean \"bean\" does not tell the class of its payload; declare it, as in Batch<Order>",
            "handler method Bean.h(Batch) of bean \"bean\" does not tell the class of its payload; declare it, as in Batch<Order>",
            "handler method Bean.i(Batch, Delivery) of bean \"bean\" has Delivery as parameter 2; a Batch must be the only one",
            "handler method Bean.j(String, Throwable) of bean \"bean\" has Throwable as parameter 2; "
                + second);
  }

  static class Returns {
    @OutboxHandler(type = "t")
    CompletableFuture<Void> a(String payload) {
      return CompletableFuture.completedFuture(null);
    }

    @OutboxHandler(type = "t")
    DeliveryResult b(Batch<String> batch) {
      return DeliveryResult.delivered();
    }

    @OutboxFallback
    DeliveryResult c(String payload) {
      return DeliveryResult.delivered();
    }
  }

  @Test
  void wrongReturnTypes() {
    assertThat(problems(Returns.class))
        .containsExactlyInAnyOrder(
            "handler method Bean.a(String) of bean \"bean\" returns CompletableFuture; it must return nothing or a DeliveryResult",
            "handler method Bean.b(Batch) of bean \"bean\" returns DeliveryResult; it must return nothing and decide by Batch.decide",
            "fallback method Bean.c(String) of bean \"bean\" must return nothing");
  }

  static class Settings {
    @OutboxHandler
    void a(Refund payload) {}

    @OutboxHandler(type = "t", timeLimit = "30 parsecs", concurrency = -1)
    void b(String payload) {}

    @OutboxHandler(type = "t", timeLimit = "30")
    void c(String payload) {}

    @OutboxHandler(type = "t", timeLimit = "0s")
    void d(String payload) {}

    @OutboxHandler(type = "t", timeLimit = "-1s")
    void e(String payload) {}

    @OutboxHandler(type = "${no.such.type}")
    void f(String payload) {}

    @OutboxHandler(type = "t", batchSize = 10)
    void g(String payload) {}

    @OutboxHandler(type = "t", batchSize = -1, transactional = true)
    void h(Batch<String> batch) {}

    @OutboxHandler(type = "t", timeLimit = "40000000000000000000h")
    void i(String payload) {}

    @OutboxHandler
    void j(byte[] payload) {}
  }

  @Test
  void wrongSettings() {
    String unit = " but must be a time with a unit, such as 500ms, 30s, 5m, 1h30m or PT30S";
    assertThat(problems(Settings.class))
        .containsExactlyInAnyOrder(
            "handler method Bean.a(Refund) of bean \"bean\" has no message type; set it by @OutboxHandler(type = …), or by @OutboxMessage(type = …) on io.posthorn.spring.Refund",
            "concurrency of handler method Bean.b(String) of bean \"bean\" was -1 but must be at least 1, or 0 for the relay's",
            "timeLimit of handler method Bean.b(String) of bean \"bean\" was \"30 parsecs\"" + unit,
            "timeLimit of handler method Bean.c(String) of bean \"bean\" was \"30\"" + unit,
            "timeLimit of handler method Bean.d(String) of bean \"bean\" was 0s but must be longer",
            "timeLimit of handler method Bean.e(String) of bean \"bean\" was \"-1s\" but must be between 0s and 100 years",
            "type of handler method Bean.f(String) of bean \"bean\" was \"${no.such.type}\" but not every placeholder in it has a value; define the property, or give a default as in ${name:value}",
            "handler method Bean.g(String) of bean \"bean\" sets batchSize but takes one message at a time; let it take Batch<String>, or leave batchSize out",
            "handler method Bean.h(Batch) of bean \"bean\" takes a Batch and is transactional; choose one",
            "batchSize of handler method Bean.h(Batch) of bean \"bean\" was -1 but must be at least 1, or 0 for 100",
            "timeLimit of handler method Bean.i(String) of bean \"bean\" was \"40000000000000000000h\""
                + unit,
            "handler method Bean.j(byte[]) of bean \"bean\" has no message type; set it by @OutboxHandler(type = …), or by @OutboxMessage(type = …) on byte[]");
  }

  static class Kinds {
    @OutboxHandler(type = "t")
    static void a(String payload) {}

    @OutboxHandler(type = "t")
    @OutboxFallback
    void b(String payload) {}

    @OutboxRetryable
    void c(String payload) {}

    @OutboxFallback
    @OutboxRetryable
    void d(String payload) {}
  }

  @Test
  void methodsThatCannotBeWhatTheirAnnotationsSay() {
    assertThat(problems(Kinds.class))
        .containsExactlyInAnyOrder(
            "method Bean.a(String) of bean \"bean\" is static, but messages are handed to beans; remove static",
            "method Bean.b(String) of bean \"bean\" is both an @OutboxHandler and an @OutboxFallback; choose one",
            "method Bean.c(String) of bean \"bean\" is @OutboxRetryable but no @OutboxHandler, so there is nothing to retry; remove it",
            "method Bean.d(String) of bean \"bean\" is @OutboxRetryable but no @OutboxHandler, so there is nothing to retry; remove it");
  }

  @OutboxRetryable(delay = "soon")
  static class NothingToRetry {}

  @Test
  void aRetryableClassWithoutHandlers() {
    assertThat(problems(NothingToRetry.class))
        .containsExactly(
            "class Bean of bean \"bean\" is @OutboxRetryable but has no @OutboxHandler method; remove it, or annotate one",
            "delay in @OutboxRetryable of class Bean of bean \"bean\" was \"soon\" but must be a time with a unit, such as 500ms, 30s, 5m, 1h30m or PT30S");
  }

  @Configuration
  @OutboxRetryable
  static class NothingToRetryInAConfiguration {}

  @Test
  void theClassOfAConfigurationIsNamedAsItWasWritten() {
    assertThat(problems(NothingToRetryInAConfiguration.class))
        .containsExactly(
            "class Bean of bean \"bean\" is @OutboxRetryable but has no @OutboxHandler method; remove it, or annotate one");
  }

  static class Retries {
    @OutboxHandler(type = "t")
    @OutboxRetryable(maxAttempts = 0, multiplier = 0.5, jitter = 1.5)
    void a(String payload) {}

    @OutboxHandler(type = "t")
    @OutboxRetryable(delay = "5m")
    void b(String payload) {}

    @OutboxHandler(type = "t")
    @OutboxRetryable(retryOn = IOException.class, noRetryOn = RuntimeException.class)
    void c(String payload) {}

    @OutboxHandler(type = "t")
    @OutboxRetryable(maxDelay = "x1", multiplier = Double.NaN)
    void d(String payload) {}
  }

  @Test
  void senselessRetries() {
    assertThat(problems(Retries.class))
        .containsExactlyInAnyOrder(
            "maxAttempts in @OutboxRetryable of handler method Bean.a(String) of bean \"bean\" was 0 but must be at least 1",
            "multiplier in @OutboxRetryable of handler method Bean.a(String) of bean \"bean\" was 0.5 but must be a number of 1 or more",
            "jitter in @OutboxRetryable of handler method Bean.a(String) of bean \"bean\" was 1.5 but must be between 0 and 1",
            "delay in @OutboxRetryable of handler method Bean.b(String) of bean \"bean\" was 5m but must not be longer than maxDelay (1m); set that too",
            "retryOn in @OutboxRetryable of handler method Bean.c(String) of bean \"bean\" was set but noRetryOn was set too and would have no effect; choose one",
            "maxDelay in @OutboxRetryable of handler method Bean.d(String) of bean \"bean\" was \"x1\" but must be a time with a unit, such as 500ms, 30s, 5m, 1h30m or PT30S",
            "multiplier in @OutboxRetryable of handler method Bean.d(String) of bean \"bean\" was NaN but must be a number of 1 or more");
  }

  static class FallbackParameters {
    @OutboxHandler(type = "t")
    void on(String payload) {}

    @OutboxFallback
    void a() {}

    @OutboxFallback
    void b(String payload, Exception cause) {}

    @OutboxFallback
    void c(Throwable cause) {}

    @OutboxFallback
    void d(Batch<String> batch) {}
  }

  @Test
  void wrongParametersOfFallbacks() {
    assertThat(problems(FallbackParameters.class))
        .containsExactlyInAnyOrder(
            "fallback method Bean.a() of bean \"bean\" has no parameter; the first must be the payload",
            "fallback method Bean.b(String, Exception) of bean \"bean\" has Exception as parameter 2; after the payload there may be one Delivery and one Throwable, nothing else",
            "fallback method Bean.c(Throwable) of bean \"bean\" has Throwable as parameter 1; the first must be the payload",
            "fallback method Bean.d(Batch) of bean \"bean\" takes a Batch, but a fallback gets one message at a time; let it take the payload");
  }

  static class Fallbacks {
    @OutboxHandler(type = "t")
    void on(String payload) {}

    @OutboxHandler(type = "t", name = "second")
    void two(Order payload) {}

    @OutboxFallback
    void a(Refund payload) {}

    @OutboxFallback(handler = "third")
    void b(String payload) {}

    @OutboxFallback(handler = "second")
    void c(String payload) {}

    @OutboxFallback(handler = "on")
    void d(String payload) {}

    @OutboxFallback(handler = "bean.on")
    void e(String payload) {}

    @OutboxFallback
    void f(String payload) {}
  }

  @Test
  void fallbacksWithoutAHandlerOfTheirOwn() {
    assertThat(problems(Fallbacks.class))
        .containsExactlyInAnyOrder(
            "fallback method Bean.a(Refund) of bean \"bean\" would never be called: no @OutboxHandler method of its bean has the payload class io.posthorn.spring.Refund; take that of the handler",
            "fallback method Bean.b(String) of bean \"bean\" would never be called: its bean has no @OutboxHandler of the name or method \"third\"; correct handler, or leave it out",
            "fallback method Bean.c(String) of bean \"bean\" would never be called: it takes java.lang.String, but Bean.two(Order) of bean \"bean\" takes io.posthorn.spring.Order; take the same",
            "handler method Bean.on(String) of bean \"bean\" has two fallbacks, Bean.d(String) of bean \"bean\" and Bean.e(String) of bean \"bean\"; keep one, or name its handler by @OutboxFallback(handler = …)",
            "fallback method Bean.f(String) of bean \"bean\" would never be called: every handler with the payload class java.lang.String has one that names it; remove it");
  }

  static class FallbackOfABrokenHandler {
    @OutboxHandler
    void on(Refund payload) {}

    @OutboxFallback
    void instead(Refund payload) {}
  }

  @Test
  void aFallbackIsNotBlamedForTheMistakesOfItsHandler() {
    assertThat(problems(FallbackOfABrokenHandler.class))
        .singleElement()
        .asString()
        .contains("has no message type");
  }

  static class OnlyFallback {
    @OutboxFallback
    void instead(String payload) {}
  }

  static class SameName {
    @OutboxHandler(type = "t")
    void on(String payload) {}

    @OutboxHandler(type = "t")
    void on(byte[] payload) {}
  }

  @Test
  void twoHandlersWithOneName() {
    assertThat(problems(SameName.class))
        .containsExactly(
            "handler methods Bean.on(byte[]) of bean \"bean\" and Bean.on(String) of bean \"bean\" both have the name \"bean.on\"; give each its own by @OutboxHandler(name = …)");
  }

  @Test
  void theMistakesOfAllBeansAreToldTogether() {
    try (var context = new AnnotationConfigApplicationContext()) {
      context.registerBean("one", OnlyFallback.class);
      context.registerBean("two", SameName.class);
      context.registerBean("three", Returns.class);
      context.refresh();

      assertThat(
              catchThrowableOfType(
                      ConfigurationException.class, () -> new HandlerMethods(context).specs())
                  .problems())
          .hasSize(5)
          .anyMatch(problem -> problem.contains("of bean \"one\""))
          .anyMatch(problem -> problem.contains("of bean \"two\""))
          .anyMatch(problem -> problem.contains("of bean \"three\""));
    }
  }
}
