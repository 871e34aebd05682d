/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.HandlerSpec;
import io.posthorn.Posthorn;
import io.posthorn.spi.ContextProvider;
import io.posthorn.spi.DeliveryInterceptor;
import io.posthorn.spi.IdGenerator;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.PublishHook;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.Transactions;
import io.posthorn.spi.UnreadableMessages;
import java.util.Collection;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Makes outboxes of the application's properties and beans: codec, ids, hooks, context providers,
 * interceptors, listeners. For applications that have more than one.
 *
 * @since 0.1
 */
public final class PosthornFactory {
  private final ListableBeanFactory beans;
  private final PosthornProperties properties;
  private final Environment environment;

  PosthornFactory(
      ListableBeanFactory beans, PosthornProperties properties, Environment environment) {
    this.beans = beans;
    this.properties = properties;
    this.environment = environment;
  }

  /**
   * An outbox on this store, with these handlers, and all that is said in properties and beans; to
   * be built, or changed before. Whoever makes it a bean has it started and stopped.
   */
  public Posthorn.Builder builder(
      MessageStore store, Transactions transactions, Collection<HandlerSpec<?>> handlers) {
    Posthorn.Builder builder =
        properties.publishOnly()
            ? Posthorn.publishOnly(store, transactions)
            : Posthorn.inOneProcess(store, transactions);
    builder.publish(properties.publish()::applyTo);
    builder.relay(
        relay -> {
          relay.virtualThreads(springWantsVirtualThreads());
          properties.relay().applyTo(relay);
          if (!properties.retry().isEmpty()) {
            relay.retry(properties.retry().policy());
          }
          properties
              .types()
              .forEach(
                  (type, settings) ->
                      relay.retry(type, settings.retry().or(properties.retry()).policy()));
        });
    handlers.forEach(handler -> builder.handler(configured(handler)));
    each(PublishHook.class).forEach(builder::publishHook);
    each(ContextProvider.class).forEach(builder::contextProvider);
    each(DeliveryInterceptor.class).forEach(builder::interceptor);
    each(RelayListener.class).forEach(builder::listener);
    beans.getBeanProvider(PayloadCodec.class).ifUnique(builder::codec);
    beans.getBeanProvider(IdGenerator.class).ifUnique(builder::idGenerator);
    beans.getBeanProvider(UnreadableMessages.class).ifUnique(builder::unreadableMessages);
    beans.getBeanProvider(PosthornCustomizer.class).orderedStream().forEach(it -> it.customize(builder));
    return builder;
  }

  /** As Spring Boot itself decides; its class for that is not at the same place in all versions. */
  private boolean springWantsVirtualThreads() {
    return environment.getProperty("spring.threads.virtual.enabled", boolean.class, false)
        && Runtime.version().feature() >= 21;
  }

  private <T> List<T> each(Class<T> type) {
    return beans.getBeanProvider(type).orderedStream().toList();
  }

  private <P> HandlerSpec<P> configured(HandlerSpec<P> spec) {
    return properties
        .handler(spec.name())
        .map(settings -> settings.applyTo(spec, properties.retry()))
        .orElse(spec);
  }
}
