/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.ConfigurationException;
import io.posthorn.HandlerSpec;
import io.posthorn.Outbox;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;

/** In which beans handlers are found, and when those beans are created. */
@SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // handlers are called by reflection
class HandlerBeanTest {
  private final HandlerScene scene = new HandlerScene();

  @AfterEach
  void close() {
    scene.close();
  }

  @Lazy
  static class LazyMailer {
    private final Notes notes;

    LazyMailer(Notes notes) {
      this.notes = notes;
      notes.add("created");
    }

    @OutboxHandler(type = "t")
    void on(String payload) {
      notes.add(payload);
    }
  }

  @Test
  void aLazyBeanIsFoundAndCreatedByItsFirstMessage() {
    scene.bean("mailer", LazyMailer.class).start();
    assertThat(scene.notes()).isEmpty();

    scene.deliver("t", "1", "2");

    assertThat(scene.notes()).containsExactly("created", "1", "2");
  }

  @Scope(BeanDefinition.SCOPE_PROTOTYPE)
  static class Prototype {
    private final Notes notes;

    Prototype(Notes notes) {
      this.notes = notes;
      notes.add("created");
    }

    @OutboxHandler(type = "t")
    void on(String payload) {
      notes.add(payload);
    }
  }

  @Test
  void aPrototypeIsCreatedForEachMessage() {
    scene.bean("mailer", Prototype.class).start();

    scene.deliver("t", "1", "2");

    assertThat(scene.notes()).containsExactly("created", "1", "created", "2");
  }

  @Scope(value = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
  static class Scoped {
    private final Notes notes;

    Scoped(Notes notes) {
      this.notes = notes;
    }

    @OutboxHandler(type = "t")
    void on(String payload) {
      notes.add(payload);
    }
  }

  @Test
  void aScopedBeanIsFoundOnceAndCalledThroughItsProxy() {
    scene.context().getBeanFactory().registerScope("thread", new SimpleThreadScope());
    scene.bean("mailer", Scoped.class).start();

    scene.deliver("t", "1");

    assertThat(scene.context().getBeanDefinitionNames()).contains("scopedTarget.mailer");
    assertThat(scene.spec().name()).isEqualTo("mailer.on");
    assertThat(scene.notes()).containsExactly("1");
  }

  abstract static class Base<T> {
    final Notes notes;

    Base(Notes notes) {
      this.notes = notes;
    }

    @OutboxHandler(type = "t")
    public void on(T payload) {
      notes.add("base " + payload);
    }
  }

  static class Inheriting extends Base<Refund> {
    Inheriting(Notes notes) {
      super(notes);
    }
  }

  @Test
  void anInheritedMethodTakesThePayloadClassOfItsSubclass() {
    scene.bean("mailer", Inheriting.class).start();

    scene.deliver("t", "1");

    assertThat(scene.notes()).containsExactly("base Refund[id=1]");
  }

  static class Overriding extends Base<Refund> {
    Overriding(Notes notes) {
      super(notes);
    }

    @Override
    @OutboxHandler(type = "t")
    public void on(Refund payload) {
      notes.add("overridden " + payload.id());
    }
  }

  @Test
  void aMethodWithABridgeIsFoundOnce() {
    scene.bean("mailer", Overriding.class).start();

    scene.deliver("t", "1");

    assertThat(Overriding.class.getDeclaredMethods()).hasSize(2);
    assertThat(scene.notes()).containsExactly("overridden 1");
  }

  static class Silent extends Base<Refund> {
    Silent(Notes notes) {
      super(notes);
    }

    @Override
    public void on(Refund payload) {
      notes.add("silent " + payload.id());
    }
  }

  @Test
  void aMethodThatOverridesAHandlerIsOneToo() {
    scene.bean("mailer", Silent.class).start();

    scene.deliver("t", "1");

    assertThat(scene.notes()).containsExactly("silent 1");
  }

  interface Listener {
    @OutboxHandler(type = "t")
    void on(String payload);
  }

  private record OfInterface(Notes notes) implements Listener {
    @Override
    public void on(String payload) {
      notes.add(payload);
    }
  }

  @Test
  void theAnnotationMayStandInAnInterface() {
    scene.bean("mailer", OfInterface.class).start();

    scene.deliver("t", "1");

    assertThat(scene.notes()).containsExactly("1");
  }

  @Test
  void twoBeansOfOneClassAreTwoHandlers() {
    scene.bean("one", OfInterface.class).bean("two", OfInterface.class).start();

    scene.deliver("t", "1");

    assertThat(scene.notes()).containsExactly("1", "1");
  }

  @Configuration
  static class Declaring {
    @Bean
    Runnable hidden() {
      return new HiddenMailer();
    }

    @OutboxHandler(type = "t")
    private void on(String payload) {}
  }

  static class HiddenMailer implements Runnable {
    @Override
    public void run() {}

    @OutboxHandler(type = "t")
    void on(String payload) {}
  }

  @Test
  void aHandlerBehindAnInterfaceIsFoundWhenItsBeanExists() {
    try (var context = new AnnotationConfigApplicationContext(Declaring.class)) {
      assertThat(new HandlerMethods(context).specs())
          .extracting(HandlerSpec::name)
          .containsExactlyInAnyOrder("hidden.on", "handlerBeanTest.Declaring.on");
    }
  }

  @Test
  void aHandlerThatWasMissedBeforeItsBeanExistedIsToldAtStartUp() {
    scene.bean("declaring", Declaring.class);

    assertThatThrownBy(scene::start)
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "handler method %1$s.on(String) of bean \"hidden\" was not found, since the class of the bean was not known before the bean was created; let its @Bean method return %1$s",
            HiddenMailer.class.getName());
  }

  static class LateFactory implements FactoryBean<Object> {
    private final Outbox outbox;

    /** Whoever created it for the sake of its type would be caught in a circle. */
    LateFactory(Outbox outbox) {
      this.outbox = outbox;
    }

    @Override
    public Object getObject() {
      return outbox.toString();
    }

    @Override
    public Class<?> getObjectType() {
      return String.class;
    }
  }

  @Test
  void lookingForHandlersCreatesNoFactoryBean() {
    scene.bean("factory", LateFactory.class).bean("mailer", OfInterface.class).start();

    scene.deliver("t", "1");

    assertThat(scene.notes()).containsExactly("1");
  }
}
