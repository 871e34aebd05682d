/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import io.posthorn.internal.Engine;
import io.posthorn.internal.OutboxProcess;
import io.posthorn.internal.ProgramVersion;
import io.posthorn.spi.ContextProvider;
import io.posthorn.spi.DeliveryInterceptor;
import io.posthorn.spi.DutyRunner;
import io.posthorn.spi.IdGenerator;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.MessageExpressions;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.PayloadUpcaster;
import io.posthorn.spi.PublishHook;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.Sender;
import io.posthorn.spi.Ticker;
import io.posthorn.spi.Transactions;
import io.posthorn.spi.UnreadableMessages;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An outbox and its relay in one process. Safe to share between threads.
 *
 * <pre>{@code
 * var transactions = new JdbcTransactions(dataSource);
 * try (var posthorn = Posthorn.inOneProcess(JdbcMessageStore.on(dataSource), transactions)
 *     .handler("mailer", "order-placed", Order.class, (order, delivery) -> mail.send(order))
 *     .start()) {
 *   transactions.run(connection -> {
 *     insert(connection, order);
 *     posthorn.outbox().publish("order-placed", order);
 *   });
 * }
 * }</pre>
 *
 * @since 0.1
 */
public final class Posthorn implements AutoCloseable {
  private final OutboxProcess process;
  private final Outbox outbox = new LazyOutbox();
  private final Admin admin;

  private Posthorn(OutboxProcess process) {
    this.process = process;
    this.admin = process.admin();
  }

  /** A process that publishes and delivers. Several of them share the work. */
  public static Builder inOneProcess(MessageStore store, Transactions transactions) {
    return new Builder(store, transactions, false);
  }

  /** A process that publishes only; another one, or change data capture, delivers. */
  public static Builder publishOnly(MessageStore store, Transactions transactions) {
    return new Builder(store, transactions, true);
  }

  /** The version of Posthorn that this process runs, such as {@code 0.1.0}. */
  public static String version() {
    return ProgramVersion.posthorn();
  }

  /** Where messages are published. Can be used before the start, too. */
  public Outbox outbox() {
    return outbox;
  }

  /** Where people see and steer messages and pauses. Can be used before the start, too. */
  public Admin admin() {
    return admin;
  }

  /**
   * The running relay.
   *
   * @throws IllegalStateException if this process only publishes, or is not running
   */
  public Relay relay() {
    Engine engine =
        process
            .engine()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "\""
                            + process.name()
                            + "\" has no running relay: it only publishes, was not started, or was stopped"));
    return new Relay(engine);
  }

  /** What the relay is doing; empty if this process only publishes, or is not running. */
  public Optional<RelayStatus> status() {
    return process.engine().map(Engine::status);
  }

  /**
   * Opens the store and starts the relay. Starting twice is harmless.
   *
   * @throws ConfigurationException if the tables do not fit
   * @throws IllegalStateException if it was stopped before
   */
  public void start() {
    process.start();
  }

  /**
   * Starts nothing more, waits for deliveries under way, and hands the partitions over. Stopping
   * twice, or before the start, is harmless.
   *
   * @param timeout after which deliveries under way are interrupted
   * @return whether everything was handed over
   */
  public boolean stop(Duration timeout) {
    return process.stop(requireNonNull(timeout, "timeout"));
  }

  /** Stops, with the timeout of the options. */
  @Override
  public void close() {
    process.stop(process.stopTimeout());
  }

  private final class LazyOutbox implements Outbox {
    @Override
    public List<UUID> publishAll(List<Message> messages) {
      return process.publisher().publishAll(messages);
    }

    @Override
    public Receipt publishOnce(Message message) {
      return process.publisher().publishOnce(message);
    }

    @Override
    public UUID publish(Object payload) {
      return process.publisher().publish(requireNonNull(payload, "payload"));
    }
  }

  /** Collects what an outbox is made of. Not safe to share between threads. */
  public static final class Builder {
    private static final UnreadableMessages DEFAULT_POLICY = new UnreadableMessages() {};

    private final MessageStore store;
    private final Transactions transactions;
    private final boolean publishOnly;
    private final List<HandlerSpec<?>> handlers = new ArrayList<>();
    private final Map<Class<?>, String> types = new LinkedHashMap<>();
    private final Map<Class<?>, Handler.Fallback<?>> fallbacks = new LinkedHashMap<>();
    private final SenderRoutes senders = new SenderRoutes();
    private final List<RelayListener> listeners = new ArrayList<>();
    private final List<DeliveryInterceptor> interceptors = new ArrayList<>();
    private final Map<String, String> aliases = new LinkedHashMap<>();
    private final Map<String, PayloadUpcaster> upcasters = new LinkedHashMap<>();
    private UnreadableMessages unreadable = DEFAULT_POLICY;
    private final List<PublishHook> hooks = new ArrayList<>();
    private final List<ContextProvider> contexts = new ArrayList<>();
    private final RelayOptions relay = new RelayOptions();
    private final PublishOptions publish = new PublishOptions();
    private final List<String> problems = new ArrayList<>();
    private @Nullable MessageExpressions expressions;
    private @Nullable PayloadCodec codec;
    private @Nullable IdGenerator ids;
    private @Nullable DutyRunner dutyRunner;
    private Clock clock = Clock.systemUTC();
    private Ticker ticker = Ticker.system();

    private Builder(MessageStore store, Transactions transactions, boolean publishOnly) {
      this.store = requireNonNull(store, "store");
      this.transactions = requireNonNull(transactions, "transactions");
      this.publishOnly = publishOnly;
    }

    /** Registers a handler for one type. */
    public <P> Builder handler(
        String name, String type, Class<P> payloadClass, Handler<P> handler) {
      return handler(HandlerSpec.of(name, type, payloadClass, handler));
    }

    /** Registers a handler for a type that is a constant and names its payload class. */
    public <P> Builder handler(String name, MessageType<P> type, Handler<P> handler) {
      return handler(HandlerSpec.of(name, type, handler));
    }

    /** Registers a handler. */
    public Builder handler(HandlerSpec<?> handler) {
      handlers.add(requireNonNull(handler, "handler"));
      return this;
    }

    /** As {@link #sender(String, Sender, UnaryOperator)}, with nothing to change. */
    public Builder sender(String name, Sender sender) {
      return sender(name, sender, handler -> handler);
    }

    /**
     * Registers a sender under a name that routes lead to. Whoever made it closes it, after this
     * outbox was stopped.
     *
     * @param name also the name of the handler by which its messages are delivered, seen and
     *     steered
     * @param settings changes that handler: its concurrency, retries, rate limit, fallback
     */
    public Builder sender(String name, Sender sender, UnaryOperator<HandlerSpec<byte[]>> settings) {
      requireNonNull(name, "name");
      requireNonNull(sender, "sender");
      if (!senders.add(name, sender, requireNonNull(settings, "settings"))) {
        problems.add("two senders are named \"%s\"; give each a name of its own".formatted(name));
      }
      return this;
    }

    /** Adds a route; of those to one sender the first that fits is taken. */
    public Builder route(Route route) {
      senders.add(requireNonNull(route, "route"));
      return this;
    }

    /**
     * Adds the headers of CloudEvents in binary mode to what is sent to brokers.
     *
     * @param source a URI that names who sends, such as {@code /shop/orders}
     */
    public Builder cloudEvents(String source) {
      senders.cloudEvents(requireNonNull(source, "source"));
      return this;
    }

    /**
     * Sets the fallback of all handlers of this payload class that have none of their own. It is
     * called when the attempts are used up or the failure is not to be retried.
     */
    public <P> Builder fallback(Class<P> payloadClass, Handler.Fallback<? super P> fallback) {
      requireNonNull(payloadClass, "payloadClass");
      if (fallbacks.put(payloadClass, requireNonNull(fallback, "fallback")) != null) {
        problems.add(
            "two fallbacks were registered for %s; choose one".formatted(payloadClass.getName()));
      }
      return this;
    }

    private <P> HandlerSpec<P> withFallback(HandlerSpec<P> spec) {
      Handler.Fallback<?> found = fallbacks.get(spec.payloadClass());
      if (found == null || spec.fallback().isPresent()) {
        return spec;
      }
      @SuppressWarnings("unchecked") // registered together with the class of its payload
      Handler.Fallback<? super P> fallback = (Handler.Fallback<? super P>) found;
      return spec.fallback(fallback::handle);
    }

    /** Says which type {@link Outbox#publish(Object)} gives to objects of this class. */
    public Builder type(String type, Class<?> payloadClass) {
      String other =
          types.put(requireNonNull(payloadClass, "payloadClass"), requireNonNull(type, "type"));
      if (other != null && !other.equals(type)) {
        problems.add(
            "%s was registered for the types \"%s\" and \"%s\"; choose one"
                .formatted(payloadClass.getName(), other, type));
      }
      return this;
    }

    /**
     * Sets what evaluates the expressions of {@link OutboxMessage}. Without it, messages of classes
     * with expressions are refused.
     */
    public Builder expressions(MessageExpressions expressions) {
      this.expressions = requireNonNull(expressions, "expressions");
      return this;
    }

    /**
     * Says that a type was renamed: messages of the old type, stored or still published, are
     * delivered as the new type, to its handlers. Rows keep the name they were published under. The
     * new type may be an old name of a third one.
     */
    public Builder alias(String oldType, String newType) {
      String other =
          aliases.put(requireNonNull(oldType, "oldType"), requireNonNull(newType, "newType"));
      if (other != null && !other.equals(newType)) {
        problems.add(
            "\"%s\" was made an alias of the types \"%s\" and \"%s\"; choose one"
                .formatted(oldType, other, newType));
      }
      return this;
    }

    /** Brings stored payloads of a type into the form of today, before they are decoded. */
    public Builder upcaster(String type, PayloadUpcaster upcaster) {
      PayloadUpcaster other =
          upcasters.put(requireNonNull(type, "type"), requireNonNull(upcaster, "upcaster"));
      if (other != null) {
        problems.add(
            "two upcasters were registered for type \"%s\"; make them one".formatted(type));
      }
      return this;
    }

    /** Adds an interceptor around deliveries; the first one is the outermost. */
    public Builder interceptor(DeliveryInterceptor interceptor) {
      interceptors.add(requireNonNull(interceptor, "interceptor"));
      return this;
    }

    /** Sets what becomes of messages of unknown types and of payloads that cannot be decoded. */
    public Builder unreadableMessages(UnreadableMessages unreadable) {
      this.unreadable = requireNonNull(unreadable, "unreadable");
      return this;
    }

    /** Sets options of the relay. */
    public Builder relay(Consumer<RelayOptions> settings) {
      settings.accept(relay);
      return this;
    }

    /** Sets options of publishing. */
    public Builder publish(Consumer<PublishOptions> settings) {
      settings.accept(publish);
      return this;
    }

    /** Sets the codec; by default the one found on the class path. */
    public Builder codec(PayloadCodec codec) {
      this.codec = requireNonNull(codec, "codec");
      return this;
    }

    /** Sets how message ids are made; by default UUIDs of version 7. */
    public Builder idGenerator(IdGenerator ids) {
      this.ids = requireNonNull(ids, "ids");
      return this;
    }

    /** Adds a listener. */
    public Builder listener(RelayListener listener) {
      listeners.add(requireNonNull(listener, "listener"));
      return this;
    }

    /** Adds a hook that sees messages as they are published, after those added earlier. */
    public Builder publishHook(PublishHook hook) {
      hooks.add(requireNonNull(hook, "hook"));
      return this;
    }

    /** Adds a source of headers; it wins over those added earlier. */
    public Builder contextProvider(ContextProvider provider) {
      contexts.add(requireNonNull(provider, "provider"));
      return this;
    }

    /**
     * Sets the wall clock, which never reaches a table except as a message's default occurred-at.
     */
    public Builder clock(Clock clock) {
      this.clock = requireNonNull(clock, "clock");
      return this;
    }

    /** Sets the source of elapsed time. */
    public Builder ticker(Ticker ticker) {
      this.ticker = requireNonNull(ticker, "ticker");
      return this;
    }

    /** Sets how duties are repeated; by default each on a thread of its own. */
    public Builder dutyRunner(DutyRunner dutyRunner) {
      this.dutyRunner = requireNonNull(dutyRunner, "dutyRunner");
      return this;
    }

    /**
     * Checks all settings; touches nothing outside.
     *
     * @throws ConfigurationException naming every problem
     */
    public Posthorn build() {
      ConfigProblems check = new ConfigProblems();
      problems.forEach(check::add);
      check.checkRelay(relay);
      check.checkPublish(publish, publishOnly);
      PayloadCodec usedCodec = codec == null ? found() : codec;
      List<HandlerSpec<?>> specs = new ArrayList<>();
      handlers.forEach(handler -> specs.add(withFallback(handler)));
      specs.addAll(senders.handlers(typesByClass(), usedCodec, ticker, publishOnly, check));
      check.checkHandlers(specs, transactions, publishOnly);
      if (publishOnly && !(interceptors.isEmpty() && aliases.isEmpty() && upcasters.isEmpty())) {
        check.add(
            "interceptors, aliases or upcasters were registered but this process only publishes; register them where a relay runs");
      }
      check.checkAliases(aliases, specs);
      check.checkRenamed("relay.retry was set", relay.retryByType().keySet(), aliases);
      check.checkRenamed("an upcaster was registered", upcasters.keySet(), aliases);
      store.problemWith(transactions).ifPresent(check::add);
      check.report();
      return new Posthorn(
          new OutboxProcess(
              new OutboxProcess.Parts(
                  store,
                  transactions,
                  publishOnly,
                  List.copyOf(specs),
                  relay.copy(),
                  publish.copy(),
                  Map.copyOf(types),
                  expressions,
                  usedCodec,
                  Map.copyOf(aliases),
                  Map.copyOf(upcasters),
                  List.copyOf(interceptors),
                  unreadable,
                  ids,
                  List.copyOf(listeners),
                  List.copyOf(hooks),
                  List.copyOf(contexts),
                  clock,
                  ticker,
                  dutyRunner)));
    }

    private Map<Class<?>, Set<String>> typesByClass() {
      Map<Class<?>, Set<String>> known = new HashMap<>();
      types.forEach((type, name) -> known.computeIfAbsent(type, any -> new HashSet<>()).add(name));
      for (HandlerSpec<?> handler : handlers) {
        known
            .computeIfAbsent(handler.payloadClass(), any -> new HashSet<>())
            .addAll(handler.types());
      }
      return known;
    }

    /** Builds and starts. */
    public Posthorn start() {
      Posthorn posthorn = build();
      posthorn.start();
      return posthorn;
    }

    /** The first that works: one whose library is not there is passed over. */
    private static @Nullable PayloadCodec found() {
      Iterator<ServiceLoader.Provider<PayloadCodec>> providers =
          ServiceLoader.load(PayloadCodec.class).stream().iterator();
      while (true) {
        try {
          return providers.hasNext() ? providers.next().get() : null;
        } catch (ServiceConfigurationError | LinkageError e) {
          LoggerSource.of("io.posthorn.publish")
              .log(System.Logger.Level.DEBUG, "a payload codec cannot be used", e);
        }
      }
    }
  }
}
