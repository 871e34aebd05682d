/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.posthorn.ConfigurationException;
import io.posthorn.HandlerSpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** Each handler belongs to one outbox. */
class SeveralOutboxesTest {

  /** Handlers of three outboxes; two have the same name. */
  static class Mailer {
    @OutboxHandler(type = "t", name = "mailer")
    void unnamed(String payload) {}

    @OutboxHandler(type = "t", name = "printer", outbox = "outbox")
    void byDefaultName(String payload) {}

    @OutboxHandler(type = "t", name = "mailer", outbox = "archive")
    void archive(String payload) {}

    @OutboxHandler(type = "t", name = "biller", outbox = "${billing.outbox}")
    void billing(String payload) {}
  }

  /** What asks when it is made, as an outbox does. */
  private record Asking(List<String> names) {
    static Asking of(HandlerMethods handlers, String outbox) {
      return new Asking(handlers.specs(outbox).stream().map(HandlerSpec::name).toList());
    }
  }

  private static AnnotationConfigApplicationContext context(Class<?> bean, String... outboxes) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("test", Map.of("billing.outbox", "bills")));
    context.registerBean("bean", bean);
    context.registerBean("handlers", HandlerMethods.class, () -> new HandlerMethods(context));
    for (String outbox : outboxes) {
      context.registerBean(
          outbox,
          Asking.class,
          () -> Asking.of(context.getBean("handlers", HandlerMethods.class), outbox));
    }
    return context;
  }

  private static List<String> problems(Class<?> bean, String... outboxes) {
    try (AnnotationConfigApplicationContext context = context(bean, outboxes)) {
      return catchThrowableOfType(ConfigurationException.class, context::refresh)
          .problems()
          .stream()
          .map(problem -> problem.replace(bean.getName(), "Bean"))
          .toList();
    }
  }

  @Test
  void eachGetsItsOwn() {
    try (var context = context(Mailer.class, "outbox", "archive", "bills")) {
      context.refresh();

      assertThat(context.getBean("outbox", Asking.class).names())
          .containsExactlyInAnyOrder("mailer", "printer");
      assertThat(context.getBean("archive", Asking.class).names()).containsExactly("mailer");
      assertThat(context.getBean("bills", Asking.class).names()).containsExactly("biller");
      assertThat(context.getBean(HandlerMethods.class).specs()).hasSize(2);
    }
  }

  @Test
  void anOutboxThatDoesNotExistIsReported() {
    assertThat(problems(Mailer.class, "outbox", "bills"))
        .containsExactly(
            "handler method Bean.archive(String) of bean \"bean\" belongs to the outbox \"archive\", which does not exist; there is \"bills\", \"outbox\". Name one of them by @OutboxHandler(outbox = …), or define that outbox");
  }

  static class Lost {
    @OutboxHandler(type = "t")
    void on(String payload) {}
  }

  @Test
  void soIsOneThatWasNotNamedIfNoneHasThatName() {
    assertThat(problems(Lost.class, "archive", "bills"))
        .containsExactly(
            "handler method Bean.on(String) of bean \"bean\" belongs to the outbox \"outbox\", which does not exist; there is \"archive\", \"bills\". Name one of them by @OutboxHandler(outbox = …), or define that outbox");
  }

  @Test
  void withoutAnyOutboxThereIsNothingToReport() {
    try (var context = context(Mailer.class)) {
      context.refresh();

      assertThat(context.getBean(HandlerMethods.class).specs("archive")).hasSize(1);
    }
  }

  static class Twins {
    @OutboxHandler(type = "t", name = "mailer", outbox = "archive")
    void one(String payload) {}

    @OutboxHandler(type = "t", name = "mailer", outbox = "archive")
    void two(String payload) {}
  }

  @Test
  void withinOneOutboxNamesAreUnique() {
    try (var context = context(Twins.class)) {
      context.refresh();
      HandlerMethods handlers = context.getBean(HandlerMethods.class);

      assertThat(
              catchThrowableOfType(ConfigurationException.class, () -> handlers.specs("archive"))
                  .problems())
          .singleElement()
          .asString()
          .contains("Twins.one(String)", "Twins.two(String)", "both have the name \"mailer\"");
    }
  }
}
