/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Outbox;
import io.posthorn.OutboxMessage;
import io.posthorn.PublishException;
import java.util.ArrayList;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.core.ResolvableType;
import org.springframework.core.ResolvableTypeProvider;

class OutboxEventsTest {
  @OutboxMessage(type = "order-placed", key = "#this.orderId", headers = "source='event'")
  record OrderPlaced(String orderId) {}

  record Plain(String id) {}

  @OutboxMessage(type = "created", key = "entity")
  record Created<T>(T entity) implements ResolvableTypeProvider {
    @Override
    public ResolvableType getResolvableType() {
      return ResolvableType.forClassWithGenerics(Created.class, ResolvableType.forInstance(entity));
    }
  }

  @OutboxMessage(type = "classic")
  static final class Classic extends ApplicationEvent {
    private static final long serialVersionUID = 1L;

    Classic(Object source) {
      super(source);
    }

    @Override
    public String toString() {
      return "classic";
    }
  }

  static class Listeners {
    final List<Object> seen = new ArrayList<>();

    @EventListener
    void onOrder(OrderPlaced event) {
      seen.add(event);
    }

    @EventListener
    void onPlain(Plain event) {
      seen.add(event);
    }

    @EventListener
    void onText(Created<String> event) {
      seen.add("text " + event.entity());
    }

    @EventListener
    void onNumber(Created<Integer> event) {
      seen.add("number " + event.entity());
    }

    @EventListener
    void onClassic(Classic event) {
      seen.add(event);
    }
  }

  private final AnnotationConfigApplicationContext context =
      new AnnotationConfigApplicationContext();
  private final PublishTestOutbox outbox = new PublishTestOutbox();
  private final Listeners listeners = new Listeners();

  @AfterEach
  void close() {
    context.close();
  }

  private void start(OutboxEventsPostProcessor events) {
    context.registerBean(OutboxEventsPostProcessor.class, () -> events);
    context.registerBean(Outbox.class, () -> outbox);
    context.registerBean(Listeners.class, () -> listeners);
    context.refresh();
  }

  private void publish(Object event) {
    outbox.run(() -> context.publishEvent(event));
  }

  @Test
  void anAnnotatedEventIsRecordedAndPassedOn() {
    start(new OutboxEventsPostProcessor());
    publish(new OrderPlaced("a"));

    assertThat(outbox.published()).containsExactly("order-placed a OrderPlaced[orderId=a]");
    assertThat(outbox.envelopes().get(0).headers()).containsEntry("source", "event");
    assertThat(listeners.seen).containsExactly(new OrderPlaced("a"));
  }

  @Test
  void anAnnotatedEventIsKeptFromListenersIfThatIsSet() {
    start(new OutboxEventsPostProcessor(false, ""));
    publish(new OrderPlaced("a"));
    publish(new Plain("b"));

    assertThat(outbox.published()).hasSize(1);
    assertThat(listeners.seen).containsExactly(new Plain("b"));
  }

  @Test
  void otherEventsAreLeftAlone() {
    start(new OutboxEventsPostProcessor());
    context.publishEvent(new Plain("b"));

    assertThat(outbox.published()).isEmpty();
    assertThat(listeners.seen).containsExactly(new Plain("b"));
  }

  @Test
  void genericEventsAreRecordedAndReachTheListenersOfTheirType() {
    start(new OutboxEventsPostProcessor());
    publish(new Created<>("x"));
    publish(new Created<>(5));

    assertThat(outbox.published())
        .containsExactly("created x Created[entity=x]", "created 5 Created[entity=5]");
    assertThat(listeners.seen).containsExactly("text x", "number 5");
  }

  @Test
  void eventsThatAreWrappedByHandAreRecordedOnce() {
    start(new OutboxEventsPostProcessor());
    publish(new PayloadApplicationEvent<>(this, new OrderPlaced("a")));

    assertThat(outbox.published()).containsExactly("order-placed a OrderPlaced[orderId=a]");
    assertThat(listeners.seen).containsExactly(new OrderPlaced("a"));
  }

  @Test
  void subclassesOfApplicationEventAreRecorded() {
    start(new OutboxEventsPostProcessor());
    publish(new Classic(this));

    assertThat(outbox.published()).containsExactly("classic null classic");
    assertThat(listeners.seen).hasSize(1);
  }

  @Test
  void withoutATransactionThePublisherIsToldAndNoListenerSeesTheEvent() {
    start(new OutboxEventsPostProcessor());
    assertThatThrownBy(() -> context.publishEvent(new OrderPlaced("a")))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining("no active transaction");

    assertThat(listeners.seen).isEmpty();
  }

  @Test
  void aMissingKeyReachesThePublisher() {
    start(new OutboxEventsPostProcessor());

    assertThatThrownBy(() -> publish(new OrderPlaced(null)))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining(OrderPlaced.class.getName());
  }

  @Test
  void withoutThePostProcessorNothingIsRecorded() {
    context.registerBean(Outbox.class, () -> outbox);
    context.registerBean(Listeners.class, () -> listeners);
    context.refresh();
    context.publishEvent(new OrderPlaced("a"));

    assertThat(outbox.published()).isEmpty();
    assertThat(listeners.seen).hasSize(1);
  }

  @Test
  void eventsBeforeTheOutboxExistsNeitherFailNorMakeIt() {
    List<Object> early = new ArrayList<>();
    context.registerBean(OutboxEventsPostProcessor.class);
    context.registerBean(
        Outbox.class,
        () -> {
          throw new IllegalStateException("made too early");
        },
        definition -> definition.setLazyInit(true));
    context.registerBean(
        BeanFactoryPostProcessor.class, () -> factory -> context.publishEvent(new Plain("early")));
    context.addApplicationListener(
        (ApplicationListener<PayloadApplicationEvent<?>>) event -> early.add(event.getPayload()));
    List<ApplicationEvent> refreshed = new ArrayList<>();
    context.addApplicationListener(
        (ApplicationListener<ContextRefreshedEvent>) event -> refreshed.add(event));
    context.refresh();

    assertThat(early).containsExactly(new Plain("early"));
    assertThat(refreshed).hasSize(1);
  }

  @Test
  void anEventWithoutAnOutboxIsRefusedWithTheWaysOut() {
    context.registerBean(OutboxEventsPostProcessor.class);
    context.refresh();

    assertThatThrownBy(() -> context.publishEvent(new OrderPlaced("a")))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining("there is no Outbox bean that is the only or primary one");
  }

  @Test
  void ofSeveralOutboxesTheNamedOneIsUsed() {
    PublishTestOutbox other = new PublishTestOutbox();
    context.registerBean("other", Outbox.class, () -> other);
    start(new OutboxEventsPostProcessor(true, "other"));
    other.run(() -> context.publishEvent(new OrderPlaced("a")));

    assertThat(other.published()).hasSize(1);
    assertThat(outbox.published()).isEmpty();
  }

  @Test
  void aMulticasterOfTheApplicationsOwnIsAdvised() {
    List<ApplicationEvent> multicast = new ArrayList<>();
    context.registerBean(
        "applicationEventMulticaster",
        ApplicationEventMulticaster.class,
        () ->
            new SimpleApplicationEventMulticaster() {
              @Override
              public void multicastEvent(ApplicationEvent event, ResolvableType type) {
                multicast.add(event);
              }
            });
    start(new OutboxEventsPostProcessor());
    publish(new OrderPlaced("a"));

    assertThat(outbox.published()).hasSize(1);
    assertThat(multicast)
        .hasOnlyElementsOfTypes(ContextRefreshedEvent.class, PayloadApplicationEvent.class);
    assertThat(multicast).hasSize(2);
  }

  @Test
  void listenersCanBeAddedAndRemoved() {
    start(new OutboxEventsPostProcessor());
    List<Object> seen = new ArrayList<>();
    ApplicationListener<PayloadApplicationEvent<Plain>> listener =
        ApplicationListener.forPayload(seen::add);
    context.addApplicationListener(listener);
    context.publishEvent(new Plain("1"));
    context.removeApplicationListener(listener);
    context.publishEvent(new Plain("2"));

    assertThat(seen).containsExactly(new Plain("1"));
  }

  /** Another role of the multicaster, as Spring Modulith's has. */
  interface Resubmission {
    boolean isReady();
  }

  static class Resubmitting extends SimpleApplicationEventMulticaster
      implements Resubmission, SmartInitializingSingleton {
    private boolean ready;

    @Override
    public void afterSingletonsInstantiated() {
      ready = true;
    }

    @Override
    public boolean isReady() {
      return ready;
    }
  }

  @Test
  void aMulticasterKeepsItsOtherRoles() { // issue 18, E7
    context.registerBean("applicationEventMulticaster", Resubmitting.class);
    start(new OutboxEventsPostProcessor());
    publish(new OrderPlaced("a"));

    assertThat(context.getBean(Resubmission.class).isReady()).isTrue();
    assertThat(context.getBean(Resubmitting.class).isReady()).isTrue();
    assertThat(outbox.published()).hasSize(1);
  }

  static final class Final extends Resubmitting {}

  @Test
  void aMulticasterOfAFinalClassKeepsItsInterfaces() {
    context.registerBean("applicationEventMulticaster", Final.class);
    start(new OutboxEventsPostProcessor());
    publish(new OrderPlaced("a"));

    assertThat(context.getBean("applicationEventMulticaster", Resubmission.class).isReady())
        .isTrue();
    assertThat(outbox.published()).hasSize(1);
  }

  @Test
  void aMulticasterThatIsAProxyAlreadyRecordsBeforeOtherAdvice() {
    List<String> seen = new ArrayList<>();
    context.registerBean(
        "applicationEventMulticaster",
        ApplicationEventMulticaster.class,
        () -> {
          ProxyFactory proxy = new ProxyFactory(new SimpleApplicationEventMulticaster());
          proxy.addAdvice(
              (MethodInterceptor)
                  call -> {
                    seen.add(call.getMethod().getName());
                    return call.proceed();
                  });
          return (ApplicationEventMulticaster) proxy.getProxy();
        });
    start(new OutboxEventsPostProcessor());
    seen.clear();

    assertThatThrownBy(() -> context.publishEvent(new OrderPlaced("no transaction")))
        .isInstanceOf(PublishException.class);
    assertThat(seen).isEmpty();
    publish(new OrderPlaced("a"));
    assertThat(seen).containsExactly("multicastEvent");
    assertThat(outbox.published()).hasSize(1);
  }

  @Test
  void listenerBeansCanBeAddedAndRemoved() {
    List<Object> seen = new ArrayList<>();
    context.registerBean("late", ApplicationListener.class, () -> seen::add);
    start(new OutboxEventsPostProcessor());
    ApplicationEventMulticaster wrapper = context.getBean(ApplicationEventMulticaster.class);
    wrapper.removeAllListeners();
    ApplicationEvent event = new PayloadApplicationEvent<>(context, "text");
    seen.clear();

    wrapper.multicastEvent(event);
    assertThat(seen).isEmpty();
    wrapper.addApplicationListenerBean("late");
    wrapper.multicastEvent(event);
    assertThat(seen).hasSize(1);
    wrapper.removeApplicationListenerBean("late");
    wrapper.multicastEvent(event);
    assertThat(seen).hasSize(1);
    wrapper.addApplicationListenerBean("late");
    wrapper.removeApplicationListenerBeans("late"::equals);
    wrapper.multicastEvent(event);
    assertThat(seen).hasSize(1);
  }

  @Test
  void anEventOfAChildContextIsRecordedOnce() {
    start(new OutboxEventsPostProcessor());
    try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
      child.setParent(context);
      child.registerBean(OutboxEventsPostProcessor.class);
      child.refresh();
      outbox.run(() -> child.publishEvent(new OrderPlaced("a")));
    }

    assertThat(outbox.published()).hasSize(1);
  }
}
