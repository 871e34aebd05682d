/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.RelayListener;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.MutableClock;
import io.posthorn.test.StepRunner;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/**
 * A Spring context in which the outbox is a bean that exists before the handlers' beans, a store in
 * memory, and a relay that runs step by step.
 */
final class HandlerScene implements AutoCloseable {
  private final MutableClock clock = new MutableClock();
  private final InMemoryStore store = new InMemoryStore(clock, 1);
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final StepRunner steps = new StepRunner();
  private final Notes notes = new Notes();
  private final AnnotationConfigApplicationContext context =
      new AnnotationConfigApplicationContext();
  private RelayListener listener = new RelayListener() {};

  HandlerScene() {
    context.registerBean("notes", Notes.class, () -> notes);
    context.registerBean("handlerMethods", HandlerMethods.class, () -> new HandlerMethods(context));
    context.registerBean("posthorn", Posthorn.class, this::posthornWithHandlers);
    context.registerBean("outbox", Outbox.class, () -> posthorn().outbox());
  }

  HandlerScene bean(String name, Class<?> beanClass) {
    context.registerBean(name, beanClass);
    return this;
  }

  HandlerScene properties(Map<String, Object> properties) {
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("test", properties));
    return this;
  }

  HandlerScene listener(RelayListener relayListener) {
    this.listener = relayListener;
    return this;
  }

  AnnotationConfigApplicationContext context() {
    return context;
  }

  HandlerScene start() {
    context.refresh();
    posthorn().start();
    return this;
  }

  private Posthorn posthornWithHandlers() {
    Posthorn.Builder builder =
        Posthorn.inOneProcess(store, transactions)
            .clock(clock)
            .ticker(clock.ticker())
            .dutyRunner(steps)
            .codec(new RecordCodec())
            .listener(listener)
            .relay(relay -> relay.executor(Runnable::run).retry(RetryPolicy.none()));
    specs().forEach(builder::handler);
    return builder.build();
  }

  Posthorn posthorn() {
    return context.getBean("posthorn", Posthorn.class);
  }

  /** By name, since a search by type would create factory beans. */
  List<HandlerSpec<?>> specs() {
    return context.getBean("handlerMethods", HandlerMethods.class).specs();
  }

  /** What the only handler became. */
  HandlerSpec<?> spec() {
    List<HandlerSpec<?>> specs = specs();
    if (specs.size() != 1) {
      throw new AssertionError("one handler was expected, but there are " + specs.size());
    }
    return specs.get(0);
  }

  /** Publishes texts in one transaction, and delivers what is due. */
  List<UUID> deliver(String type, String... payloads) {
    List<Message> messages =
        List.of(payloads).stream()
            .map(payload -> Message.of(type).payload(payload).build())
            .toList();
    List<UUID> ids = new ArrayList<>();
    transactions.run(() -> ids.addAll(posthorn().outbox().publishAll(messages)));
    steps.drain();
    return ids;
  }

  /** Publishes an object by its class, and delivers what is due. */
  void deliver(Object payload) {
    transactions.run(() -> posthorn().outbox().publish(payload));
    steps.drain();
  }

  /** Lets time pass, and delivers what has become due. */
  void pass(Duration time) {
    clock.advance(time);
    steps.drain();
  }

  List<String> notes() {
    return notes.lines();
  }

  StoredRows rows() {
    return store.rows();
  }

  @Override
  public void close() {
    context.close();
  }
}
