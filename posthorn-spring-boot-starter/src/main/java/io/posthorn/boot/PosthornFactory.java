/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.ConfigurationException;
import io.posthorn.HandlerSpec;
import io.posthorn.Posthorn;
import io.posthorn.RelayOptions;
import io.posthorn.Route;
import io.posthorn.inbox.Inbox;
import io.posthorn.inbox.InboxCache;
import io.posthorn.inbox.InboxListener;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.spi.ContextProvider;
import io.posthorn.spi.DeliveryInterceptor;
import io.posthorn.spi.DutyRunner;
import io.posthorn.spi.IdGenerator;
import io.posthorn.spi.MessageExpressions;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.PublishHook;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.Sender;
import io.posthorn.spi.Transactions;
import io.posthorn.spi.UnreadableMessages;
import io.posthorn.spring.HandlerMethods;
import io.posthorn.spring.SpelMessageExpressions;
import io.posthorn.spring.SpringInboxCache;
import io.posthorn.spring.SpringTransactions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.cache.CacheManager;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;

/**
 * Makes outboxes of the application's properties and beans: handlers, routes, senders, codec, ids,
 * hooks, context providers, interceptors, listeners. For applications that have more than one:
 *
 * <pre>{@code
 * @Bean
 * Posthorn billing(PosthornFactory factory, @Qualifier("billing") DataSource dataSource,
 *     @Qualifier("billing") PlatformTransactionManager manager) {
 *   return factory.create("billing", dataSource, manager);
 * }
 * }</pre>
 *
 * <p>An outbox that is a bean is started and stopped with the application.
 *
 * @since 0.1
 */
public final class PosthornFactory implements SmartInitializingSingleton {
  /** The name of the only outbox, or of the one that handlers without an outbox belong to. */
  public static final String DEFAULT_NAME = "outbox";

  private final ListableBeanFactory beans;
  private final PosthornProperties properties;
  private final Environment environment;
  private final Set<String> handlerNames = new HashSet<>();
  private final Map<String, Made> made = new ConcurrentHashMap<>();

  /** An outbox that was made here, and where it keeps its messages. */
  public record Made(Posthorn posthorn, MessageStore store) {}

  PosthornFactory(
      ListableBeanFactory beans, PosthornProperties properties, Environment environment) {
    this.beans = beans;
    this.properties = properties;
    this.environment = environment;
  }

  /**
   * An outbox on a data source, with the handlers that name it.
   *
   * @param name as in {@code @OutboxHandler(outbox = …)} and in metrics
   * @param manager of transactions on the data source
   */
  public Posthorn create(String name, DataSource dataSource, PlatformTransactionManager manager) {
    return create(name, store(name, dataSource), transactions(dataSource, manager), builder -> {});
  }

  /**
   * The same on any store, with more settings; these win over properties and beans.
   *
   * @param name as in {@code @OutboxHandler(outbox = …)} and in metrics
   */
  public Posthorn create(
      String name,
      MessageStore store,
      Transactions transactions,
      Consumer<Posthorn.Builder> settings) {
    Posthorn.Builder builder =
        properties.publishOnly()
            ? Posthorn.publishOnly(store, transactions)
            : Posthorn.inOneProcess(store, transactions);
    builder.publish(properties.publish()::applyTo);
    builder.relay(this::apply);
    addBeans(builder);
    if (!properties.publishOnly()) {
      addRelayBeans(name, builder);
    }
    List<OutboxCompanion> companions = each(OutboxCompanion.class);
    companions.forEach(companion -> companion.join(name, builder));
    each(PosthornCustomizer.class).forEach(customizer -> customizer.customize(name, builder));
    settings.accept(builder);
    Posthorn posthorn = builder.build();
    companions.forEach(companion -> companion.built(name, posthorn));
    made.put(name, new Made(posthorn, store));
    return posthorn;
  }

  /** The outboxes that were made so far, by name. */
  public Map<String, Made> made() {
    return Map.copyOf(made);
  }

  /**
   * An inbox on a data source.
   *
   * @param manager of transactions on the data source
   */
  public Inbox inbox(DataSource dataSource, PlatformTransactionManager manager) {
    return inbox(dataSource, transactions(dataSource, manager));
  }

  Inbox inbox(DataSource dataSource, Transactions transactions) {
    InboxTable.Builder table = InboxTable.builder(RelayConnections.withoutTransactions(dataSource));
    properties.inbox().applyTo(table);
    Inbox.Builder builder = Inbox.builder(table.build(), transactions);
    each(InboxListener.class).forEach(builder::listener);
    InboxCache cache = inboxCache();
    if (cache != null) {
      builder.cache(cache);
    }
    return builder.build();
  }

  private @Nullable InboxCache inboxCache() {
    String name = properties.inbox().cacheName();
    if (name == null) {
      return beans.getBeanProvider(InboxCache.class).getIfUnique();
    }
    CacheManager manager = beans.getBeanProvider(CacheManager.class).getIfUnique();
    if (manager == null) {
      throw new ConfigurationException(
          List.of(
              "posthorn.inbox.cache-name is \"%s\", but there is no CacheManager that is the only or primary one; annotate a configuration with @EnableCaching, or define one"
                  .formatted(name)));
    }
    return SpringInboxCache.of(manager, name);
  }

  MessageStore store(String name, DataSource dataSource) {
    DataSource plain = RelayConnections.withoutTransactions(dataSource);
    JdbcMessageStore.Builder builder = JdbcMessageStore.builder(plain);
    properties.store().applyTo(builder);
    if (!properties.publishOnly()) {
      String chosen = name.equals(DEFAULT_NAME) ? properties.relay().dataSource() : null;
      new RelayConnections(beans, chosen).applyTo(builder, plain);
    }
    return builder.build();
  }

  Transactions transactions(DataSource dataSource, PlatformTransactionManager manager) {
    return SpringTransactions.on(dataSource, manager, each(TransactionManager.class));
  }

  private void apply(RelayOptions relay) {
    relay.virtualThreads(springWantsVirtualThreads());
    properties.relay().applyTo(relay);
    if (!properties.retry().isEmpty()) {
      relay.retry(properties.retry().policy("posthorn.retry"));
    }
    properties
        .types()
        .forEach(
            (type, settings) ->
                relay.retry(
                    type,
                    settings
                        .retry()
                        .or(properties.retry())
                        .policy("posthorn.types." + type + ".retry")));
  }

  /** As Spring Boot itself decides; its class for that is not at the same place in all versions. */
  private boolean springWantsVirtualThreads() {
    return environment.getProperty("spring.threads.virtual.enabled", boolean.class, false)
        && Runtime.version().feature() >= 21;
  }

  private void addBeans(Posthorn.Builder builder) {
    each(PublishHook.class).forEach(builder::publishHook);
    each(ContextProvider.class).forEach(builder::contextProvider);
    each(RelayListener.class).forEach(builder::listener);
    beans.getBeanProvider(MessageExpressions.class).ifUnique(builder::expressions);
    beans.getBeanProvider(PayloadCodec.class).ifUnique(builder::codec);
    beans.getBeanProvider(IdGenerator.class).ifUnique(builder::idGenerator);
    beans.getBeanProvider(UnreadableMessages.class).ifUnique(builder::unreadableMessages);
    beans.getBeanProvider(DutyRunner.class).ifUnique(builder::dutyRunner);
  }

  private void addRelayBeans(String name, Posthorn.Builder builder) {
    List<HandlerSpec<?>> handlers = handlers(name);
    checkExpressions(handlers);
    for (HandlerSpec<?> handler : handlers) {
      handlerNames.add(handler.name());
      builder.handler(configured(handler));
    }
    if (name.equals(DEFAULT_NAME)) {
      addRoutes(builder);
    }
    each(DeliveryInterceptor.class).forEach(builder::interceptor);
  }

  private void addRoutes(Posthorn.Builder builder) {
    Map<String, Supplier<Sender>> senders = senders();
    List<Route> routes = routes(senders.keySet());
    routes.forEach(builder::route);
    for (String used : routes.stream().map(Route::sender).distinct().toList()) {
      Supplier<Sender> sender = senders.get(used);
      if (sender != null) { // else the builder says so
        handlerNames.add(used);
        builder.sender(used, sender.get(), this::configured);
      }
    }
    if (routes.stream().anyMatch(route -> route.selection().annotation().isPresent())) {
      MessageClasses.below(beans).forEach((type, of) -> builder.type(of, type));
    }
    PosthornProperties.CloudEvents cloudEvents = properties.cloudEvents();
    if (cloudEvents.enabled()) {
      String source = cloudEvents.source();
      builder.cloudEvents(
          source == null
              ? "/" + environment.getProperty("spring.application.name", "application")
              : source);
    }
  }

  /** Beans first, in their order, then properties by type. */
  private List<Route> routes(Set<String> senders) {
    List<Route> routes = new ArrayList<>(each(Route.class));
    new TreeMap<>(properties.routes())
        .forEach(
            (type, to) ->
                routes.add(to.route("posthorn.routes." + type, Route.type(type), senders)));
    PosthornProperties.RouteTo otherwise = properties.defaultRoute();
    if (otherwise != null) {
      routes.add(otherwise.route("posthorn.default-route", Route.otherwise(), senders));
    }
    return routes;
  }

  /** The senders by name: beans, and those on the application's connections to brokers. */
  private Map<String, Supplier<Sender>> senders() {
    Map<String, Supplier<Sender>> senders = new LinkedHashMap<>();
    each(SenderSource.class).forEach(source -> senders.putAll(source.senders()));
    for (String bean : beans.getBeanNamesForType(Sender.class)) {
      senders.put(bean, () -> beans.getBean(bean, Sender.class));
    }
    return senders;
  }

  private List<HandlerSpec<?>> handlers(String name) {
    List<HandlerSpec<?>> handlers = new ArrayList<>();
    if (name.equals(DEFAULT_NAME)) {
      each(HandlerSpec.class).forEach(handlers::add);
    }
    handlers.addAll(beans.getBean(HandlerMethods.class).specs(name));
    return handlers;
  }

  private void checkExpressions(List<HandlerSpec<?>> handlers) {
    beans
        .getBeanProvider(MessageExpressions.class)
        .ifUnique(
            expressions -> {
              if (expressions instanceof SpelMessageExpressions spel) {
                spel.check(handlers.stream().map(HandlerSpec::payloadClass).toList());
              }
            });
  }

  private <P> HandlerSpec<P> configured(HandlerSpec<P> spec) {
    PosthornProperties.Handler settings = properties.handlers().get(spec.name());
    return settings == null ? spec : settings.applyTo(spec, properties.retry());
  }

  private <T> List<T> each(Class<T> type) {
    return beans.getBeanProvider(type).orderedStream().toList();
  }

  /** Settings of handlers that are nowhere are mistakes. */
  @Override
  public void afterSingletonsInstantiated() {
    if (properties.publishOnly()) {
      return;
    }
    List<String> problems =
        properties.handlers().keySet().stream()
            .filter(name -> !handlerNames.contains(name))
            .sorted()
            .map(
                name ->
                    "posthorn.handlers.%s is set, but there is no handler \"%s\"; the handlers are %s"
                        .formatted(name, name, new TreeSet<>(handlerNames)))
            .toList();
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
  }
}
