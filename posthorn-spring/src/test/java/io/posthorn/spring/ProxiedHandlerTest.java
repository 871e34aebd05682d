/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.ConfigurationException;
import io.posthorn.Delivery;
import io.posthorn.spi.RelayListener;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Scope;

@SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // handlers are called by reflection
class ProxiedHandlerTest {
  private final HandlerScene scene = new HandlerScene();
  private final List<Throwable> failures = new ArrayList<>();

  @AfterEach
  void close() {
    scene.close();
  }

  /** Puts advice around the bean "mailer", as transactions do. */
  private void proxy(boolean byClass) {
    BeanPostProcessor processor =
        new BeanPostProcessor() {
          @Override
          public Object postProcessAfterInitialization(Object bean, String beanName) {
            return beanName.equals("mailer") ? advised(bean, byClass) : bean;
          }
        };
    scene.context().getBeanFactory().addBeanPostProcessor(processor);
  }

  private Object advised(Object bean, boolean byClass) {
    ProxyFactory factory = new ProxyFactory(bean);
    factory.setProxyTargetClass(byClass);
    factory.addAdvice(
        (MethodInterceptor)
            invocation -> {
              scene
                  .context()
                  .getBean(Notes.class)
                  .add("before " + invocation.getMethod().getName());
              return invocation.proceed();
            });
    return factory.getProxy(getClass().getClassLoader());
  }

  private void keepFailures() {
    scene.listener(
        new RelayListener() {
          @Override
          public void retrying(Delivery delivery, @Nullable Throwable cause, Duration delay) {
            failures.add(cause);
          }
        });
  }

  static class Mailer {
    private final Notes notes;

    Mailer(Notes notes) {
      this.notes = notes;
    }

    @OutboxHandler(type = "t")
    void on(String payload) {
      notes.add(payload);
      if (payload.equals("bad")) {
        throw new IllegalStateException("no answer");
      }
    }

    @OutboxFallback
    void instead(String payload) {
      notes.add("instead of " + payload);
    }
  }

  @Test
  void aBeanThatIsProxiedByClassIsCalledThroughTheProxy() {
    proxy(true);
    scene.bean("mailer", Mailer.class).start();

    scene.deliver("t", "1", "bad");

    assertThat(scene.notes())
        .containsExactly("before on", "1", "before on", "bad", "before instead", "instead of bad");
  }

  interface Listener {
    void on(String payload);
  }

  private record ListeningMailer(Notes notes) implements Listener {
    @Override
    @OutboxHandler(type = "t")
    public void on(String payload) {
      notes.add(payload);
    }
  }

  @Test
  void aBeanThatIsProxiedByInterfaceIsCalledThroughTheProxy() {
    proxy(false);
    scene.bean("mailer", ListeningMailer.class).start();

    scene.deliver("t", "1");

    assertThat(scene.context().getBean("mailer")).isNotInstanceOf(ListeningMailer.class);
    assertThat(scene.notes()).containsExactly("before on", "1");
  }

  @Scope(BeanDefinition.SCOPE_PROTOTYPE)
  private record PrototypeMailer(Notes notes) implements Listener {
    @Override
    @OutboxHandler(type = "t")
    public void on(String payload) {
      notes.add(payload);
    }
  }

  @Test
  void aPrototypeBehindSpringsOwnProxiesIsFoundAfterItsFirstCreationToo() {
    BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
    creator.setBeanNames("mailer");
    creator.setBeanFactory(scene.context().getBeanFactory());
    scene.context().getBeanFactory().addBeanPostProcessor(creator);
    scene.bean("mailer", PrototypeMailer.class).start();

    scene.deliver("t", "1");

    assertThat(scene.context().getType("mailer")).matches(Proxy::isProxyClass);
    assertThat(scene.spec().name()).isEqualTo("mailer.on");
    assertThat(scene.notes()).containsExactly("1");
  }

  private record UnreachableMailer(Notes notes) implements Listener {
    @Override
    public void on(String payload) {}

    @OutboxHandler(type = "t")
    void other(String payload) {}
  }

  @Test
  void aMethodThatTheInterfacesOfTheProxyLackIsToldAtStartUp() {
    proxy(false);
    scene.bean("mailer", UnreachableMailer.class);

    assertThatThrownBy(scene::start)
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "method %s.other(String) of bean \"mailer\" is in no interface of the proxy of its bean; declare it in an interface that the class implements, or have the bean proxied by class (proxyTargetClass = true)",
            UnreachableMailer.class.getName());
  }

  static class PrivateMethod {
    @OutboxHandler(type = "t")
    private void on(String payload) {}
  }

  static class FinalMethod {
    @OutboxHandler(type = "t")
    final void on(String payload) {}
  }

  @Test
  void privateAndFinalMethodsBehindAProxyAreToldAtStartUp() {
    proxy(true);
    scene.bean("mailer", PrivateMethod.class);

    assertThatThrownBy(scene::start)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(
            "method %s.on(String) of bean \"mailer\" is private, so that the proxy",
            PrivateMethod.class.getName());

    try (HandlerScene other = new HandlerScene()) {
      other
          .context()
          .registerBean(
              "mailer", FinalMethod.class, () -> (FinalMethod) advised(new FinalMethod(), true));
      assertThatThrownBy(other::start)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageStartingWith(
              "method %s.on(String) of bean \"mailer\" is final, so that the proxy",
              FinalMethod.class.getName());
    }
  }

  @OutboxRetryable
  static class Failing {
    @OutboxHandler(type = "checked")
    void checked(String payload) throws IOException {
      throw new IOException("checked");
    }

    @OutboxHandler(type = "error")
    void error(String payload) {
      throw new AssertionError("error");
    }

    @OutboxHandler(type = "undeclared")
    void undeclared(String payload) {
      ProxiedHandlerTest.<RuntimeException>sneak(new IOException("undeclared"));
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  private void deliverFailures() {
    keepFailures();
    scene.bean("mailer", Failing.class).start();
    scene.deliver("checked", "1");
    scene.deliver("error", "1");
    scene.deliver("undeclared", "1");
  }

  @Test
  void whatAMethodThrowsReachesTheRelayAsItWasThrown() {
    deliverFailures();

    assertThat(failures)
        .extracting(Throwable::toString)
        .containsExactly(
            "java.io.IOException: checked",
            "java.lang.AssertionError: error",
            "java.io.IOException: undeclared");
  }

  @Test
  void whatAMethodThrowsThroughAProxyReachesTheRelayAsItWasThrown() {
    proxy(true);
    deliverFailures();

    assertThat(failures)
        .extracting(Throwable::toString)
        .containsExactly(
            "java.io.IOException: checked",
            "java.lang.AssertionError: error",
            "java.io.IOException: undeclared");
    assertThat(scene.notes())
        .containsExactly("before checked", "before error", "before undeclared");
  }
}
