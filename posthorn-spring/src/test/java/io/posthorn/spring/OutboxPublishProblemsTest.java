/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.ConfigurationException;
import io.posthorn.Outbox;
import io.posthorn.OutboxMessage;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

class OutboxPublishProblemsTest {
  record Order(String id) {}

  @OutboxMessage(type = "typed")
  record Typed(String id) {}

  static class Modifiers {
    @OutboxPublish(type = "t")
    private String hidden() {
      return "";
    }

    @OutboxPublish(type = "t")
    static String fixed() {
      return "";
    }

    @OutboxPublish(type = "t")
    public final String last() {
      return hidden();
    }
  }

  static class WrongSpel {
    @OutboxPublish(type = "t", payload = "#oder")
    public void variable(Order order) {}

    @OutboxPublish(type = "t", key = "#payload.")
    public Order syntax() {
      return new Order("");
    }

    @OutboxPublish(type = "t", key = "id")
    public Order rootProperty() {
      return new Order("");
    }

    @OutboxPublish(type = "t", headers = "h=#payload.idd")
    public Order payloadProperty() {
      return new Order("");
    }

    @OutboxPublish(type = "t", payload = "#payload")
    public Order payloadOfPayload() {
      return new Order("");
    }

    @OutboxPublish(type = "t", headers = "nameless")
    public Order header() {
      return new Order("");
    }
  }

  static class WrongResults {
    @OutboxPublish(type = "t")
    public void nothing() {}

    @OutboxPublish(type = "t")
    public CompletableFuture<Order> later() {
      return new CompletableFuture<>();
    }

    @OutboxPublish(type = "t")
    public Stream<Order> stream() {
      return Stream.of();
    }

    @OutboxPublish
    public Order untyped() {
      return new Order("");
    }

    @OutboxPublish
    public Typed right() {
      return new Typed("");
    }

    @OutboxPublish
    public List<Typed> rightToo() {
      return List.of();
    }
  }

  static final class FinalClass {
    @OutboxPublish(type = "t")
    public String place() {
      return "";
    }
  }

  static class NoSuchOutbox {
    @OutboxPublish(type = "t", outbox = "archiev")
    public String place() {
      return "";
    }
  }

  interface Shop {
    void open();
  }

  static class ShopService implements Shop {
    @Override
    public void open() {}

    @OutboxPublish(type = "t")
    public String notInTheInterface() {
      return "";
    }
  }

  interface Repository {
    @OutboxPublish(type = "t")
    String save(String text);
  }

  /** The problems that keep the context from starting. */
  private static <T> List<String> problems(Class<T> beanClass, T bean) {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.register(OutboxPublishingConfiguration.class);
      context.registerBean(Outbox.class, PublishTestOutbox::new);
      context.registerBean("culprit", beanClass, () -> bean);
      Throwable failure = catchThrowable(context::refresh);
      Throwable cause =
          failure instanceof BeanCreationException creation ? creation.getCause() : failure;
      assertThat(cause).isInstanceOf(ConfigurationException.class);
      return ((ConfigurationException) cause).problems();
    }
  }

  private static String on(Class<?> type, String method) {
    return "@OutboxPublish on %s.%s ".formatted(type.getName(), method);
  }

  @Test
  void methodsThatNoProxySeesAreReported() {
    assertThat(problems(Modifiers.class, new Modifiers()))
        .hasSize(3)
        .anySatisfy(
            problem ->
                assertThat(problem)
                    .startsWith(on(Modifiers.class, "hidden()") + "has no effect")
                    .contains("is private"))
        .anySatisfy(
            problem ->
                assertThat(problem)
                    .startsWith(on(Modifiers.class, "fixed()"))
                    .contains("is static"))
        .anySatisfy(
            problem ->
                assertThat(problem).startsWith(on(Modifiers.class, "last()")).contains("is final"));
  }

  @Test
  void wrongExpressionsAreReportedTogether() {
    assertThat(problems(WrongSpel.class, new WrongSpel()))
        .hasSize(6)
        .contains(
            on(WrongSpel.class, "variable(Order)")
                + "has the payload expression \"#oder\", which names #oder; known are #a0, #order, #p0, #result, #root, #this")
        .anySatisfy(
            problem ->
                assertThat(problem)
                    .startsWith(
                        on(WrongSpel.class, "syntax()")
                            + "has the key expression \"#payload.\", which cannot be parsed: "))
        .anySatisfy(
            problem ->
                assertThat(problem)
                    .startsWith(on(WrongSpel.class, "rootProperty()"))
                    .endsWith(
                        "asks for the property \"id\", which the call (target, method, args) does not have"))
        .contains(
            on(WrongSpel.class, "payloadProperty()")
                + "has the header expression \"#payload.idd\", which asks for the property \"idd\", which "
                + Order.class.getName()
                + " does not have")
        .anySatisfy(
            problem ->
                assertThat(problem)
                    .startsWith(on(WrongSpel.class, "payloadOfPayload()"))
                    .contains("names #payload"))
        .anySatisfy(
            problem ->
                assertThat(problem)
                    .startsWith(on(WrongSpel.class, "header()"))
                    .contains("write name=expression"));
  }

  @Test
  void resultsThatCannotBePublishedAreReported() {
    assertThat(problems(WrongResults.class, new WrongResults()))
        .hasSize(4)
        .anySatisfy(
            problem ->
                assertThat(problem)
                    .startsWith(on(WrongResults.class, "nothing()") + "has nothing to publish"))
        .anySatisfy(
            problem ->
                assertThat(problem)
                    .startsWith(
                        on(WrongResults.class, "later()")
                            + "cannot publish a java.util.concurrent.CompletableFuture"))
        .anySatisfy(
            problem ->
                assertThat(problem)
                    .startsWith(
                        on(WrongResults.class, "stream()")
                            + "cannot publish a java.util.stream.Stream"))
        .anySatisfy(
            problem ->
                assertThat(problem)
                    .startsWith(on(WrongResults.class, "untyped()") + "has no type"));
  }

  @Test
  void aFinalClassIsReported() {
    assertThat(problems(FinalClass.class, new FinalClass()))
        .singleElement()
        .asString()
        .startsWith(FinalClass.class.getName())
        .contains("is final");
  }

  @Test
  void anOutboxThatIsNotThereIsReportedAtStartUp() {
    assertThat(problems(NoSuchOutbox.class, new NoSuchOutbox()))
        .singleElement()
        .asString()
        .startsWith(on(NoSuchOutbox.class, "place()"))
        .contains("no Outbox bean with the name or qualifier \"archiev\"");
  }

  @Test
  void aMethodThatAProxyOfInterfacesLacksIsReported() {
    ProxyFactory factory = new ProxyFactory(new ShopService());
    assertThat(problems(Shop.class, (Shop) factory.getProxy()))
        .singleElement()
        .asString()
        .startsWith(on(ShopService.class, "notInTheInterface()"))
        .contains("proxyTargetClass = true");
  }

  @Test
  void aMethodThatNobodyImplementsIsReported() {
    ProxyFactory factory = new ProxyFactory(new Object());
    factory.addInterface(Repository.class);
    factory.addAdvice((MethodInterceptor) invocation -> "saved");
    assertThat(problems(Repository.class, (Repository) factory.getProxy()))
        .singleElement()
        .asString()
        .startsWith(on(Repository.class, "save(String)"))
        .contains("java.lang.Object does not implement the method");
  }
}
