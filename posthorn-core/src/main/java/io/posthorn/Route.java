/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import io.posthorn.internal.route.Template;
import io.posthorn.spi.Envelope;
import java.lang.annotation.Annotation;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which messages go to a broker, where to, and in what form. Immutable: each method returns a
 * changed copy.
 *
 * <pre>{@code
 * Route.type("order-placed").to("kafka", "orders-{tenant}").header("region", "eu")
 * Route.withHeader("audit").to("rabbit", "audit").routingKey("{type}.{header.region}")
 * Route.otherwise().to("kafka")
 * }</pre>
 *
 * <p>Texts may have values of the message in braces: {@code {id}}, {@code {type}}, {@code {key}},
 * {@code {tenant}}, {@code {aggregate-type}} and {@code {header.NAME}}. In a URL they are
 * percent-encoded.
 *
 * <p>Of the routes to one sender the first that fits is taken, in the order of registration; a
 * message with routes to several senders goes to each. Order is kept per key of the <i>message</i>
 * and sender, whatever type, destination and key of the broker are.
 *
 * @since 0.1
 */
public final class Route {
  private final Selection selection;
  private final String sender;
  private final Options options;

  /**
   * What becomes of the payload on its way out.
   *
   * @param payloadClass what the payload is decoded to; {@code byte[]} and {@code String} are taken
   *     as they are
   * @param function makes what is sent instead: bytes, text, an object for the codec, or null for a
   *     tombstone
   */
  public record Mapping<P>(Class<P> payloadClass, BiFunction<? super P, Delivery, ?> function) {
    public Mapping {
      requireNonNull(payloadClass, "payloadClass");
      requireNonNull(function, "function");
    }
  }

  /** Which messages a route takes; what is still missing is where to. Immutable. */
  public static final class Selection {
    private final Set<String> types;
    private final @Nullable Class<? extends Annotation> annotation;
    private final boolean otherwise;
    private final Predicate<Envelope> fits;

    private Selection(
        Set<String> types,
        @Nullable Class<? extends Annotation> annotation,
        boolean otherwise,
        Predicate<Envelope> fits) {
      this.types = types;
      this.annotation = annotation;
      this.otherwise = otherwise;
      this.fits = fits;
    }

    /** Takes only those of them that fit this too; it must be quick, and depend on nothing else. */
    public Selection and(Predicate<Envelope> condition) {
      requireNonNull(condition, "condition");
      return new Selection(types, annotation, otherwise, fits.and(condition));
    }

    /** Sends them to the destination that is named like their type. */
    public Route to(String sender) {
      return to(sender, "{type}");
    }

    /**
     * @param sender the name under which the sender was registered
     * @param destination a topic, an exchange or a URL
     */
    public Route to(String sender, String destination) {
      return new Route(this, sender, filled(destination));
    }

    /**
     * @param sender the name under which the sender was registered
     * @param destination gives the topic or exchange of a message
     */
    public Route to(String sender, Function<Delivery, String> destination) {
      return new Route(this, sender, computed(destination));
    }

    /** The types it is limited to; empty if by annotation, or not at all. */
    public Set<String> types() {
      return types;
    }

    /** What the payload class of its types bears, if that is how they are chosen. */
    public Optional<Class<? extends Annotation>> annotation() {
      return Optional.ofNullable(annotation);
    }

    /** Whether it takes only what no other route takes. */
    public boolean isOtherwise() {
      return otherwise;
    }

    /** Whether the message fits, apart from the annotation and the other routes. */
    public boolean fits(Envelope envelope) {
      return (types.isEmpty() || types.contains(envelope.type())) && fits.test(envelope);
    }
  }

  /** Changed only in a fresh copy, before that is shared. */
  private static final class Options {
    final Function<Delivery, Optional<String>> destination;
    @Nullable Function<Delivery, Optional<String>> routingKey;
    Function<Delivery, Optional<String>> key = delivery -> Optional.ofNullable(delivery.key());
    boolean needsKey;
    Map<String, Function<Delivery, Optional<String>>> headers = Map.of();
    Predicate<Delivery> filter = delivery -> true;
    @Nullable Mapping<?> mapping;

    Options(Function<Delivery, Optional<String>> destination) {
      this.destination = destination;
    }

    Options copy() {
      Options copy = new Options(destination);
      copy.routingKey = routingKey;
      copy.key = key;
      copy.needsKey = needsKey;
      copy.headers = headers;
      copy.filter = filter;
      copy.mapping = mapping;
      return copy;
    }
  }

  private Route(
      Selection selection, String sender, Function<Delivery, Optional<String>> destination) {
    this(selection, requireNonNull(sender, "sender"), new Options(destination));
  }

  private Route(Selection selection, String sender, Options options) {
    this.selection = selection;
    this.sender = sender;
    this.options = options;
  }

  private Route with(Consumer<Options> change) {
    Options changed = options.copy();
    change.accept(changed);
    return new Route(selection, sender, changed);
  }

  private static Function<Delivery, Optional<String>> filled(String text) {
    return Template.of(requireNonNull(text, "text"))::fill;
  }

  private static Function<Delivery, Optional<String>> computed(
      Function<Delivery, @Nullable String> function) {
    requireNonNull(function, "function");
    return delivery -> Optional.ofNullable(function.apply(delivery));
  }

  // --- which messages

  /** Messages of these types. */
  public static Selection type(String first, String... more) {
    Set<String> types =
        Stream.concat(Stream.of(first), Stream.of(more)).collect(Collectors.toUnmodifiableSet());
    return new Selection(types, null, false, envelope -> true);
  }

  /** Messages of this type. */
  public static Selection type(MessageType<?> type) {
    return type(type.typeName());
  }

  /**
   * Messages whose payload class bears this annotation. The relay knows the class of a type by
   * {@link Posthorn.Builder#type} or by a handler of the type.
   */
  public static Selection annotated(Class<? extends Annotation> annotation) {
    requireNonNull(annotation, "annotation");
    return new Selection(Set.of(), annotation, false, envelope -> true);
  }

  /** Messages that have this header. */
  public static Selection withHeader(String name) {
    requireNonNull(name, "name");
    return when(envelope -> envelope.headers().containsKey(name));
  }

  /** Messages whose header has this value. */
  public static Selection withHeader(String name, String value) {
    requireNonNull(name, "name");
    requireNonNull(value, "value");
    return when(envelope -> value.equals(envelope.headers().get(name)));
  }

  /**
   * Messages that fit.
   *
   * @param condition called for every message by the relay's reader; must be quick and depend on
   *     the message only
   */
  public static Selection when(Predicate<Envelope> condition) {
    return new Selection(Set.of(), null, false, requireNonNull(condition, "condition"));
  }

  /** Messages that no other route takes. A handler that takes them changes nothing. */
  public static Selection otherwise() {
    return new Selection(Set.of(), null, true, envelope -> true);
  }

  // --- in what form

  /** The routing key, for brokers that have one; by default the sender chooses. */
  public Route routingKey(String text) {
    Function<Delivery, Optional<String>> routingKey = filled(text);
    return with(options -> options.routingKey = routingKey);
  }

  /** As {@link #routingKey(String)}. */
  public Route routingKey(Function<Delivery, String> function) {
    Function<Delivery, Optional<String>> routingKey = computed(function);
    return with(options -> options.routingKey = routingKey);
  }

  /**
   * The key for the broker; by default that of the message. A message that lacks a value becomes a
   * dead letter: without a key it would lose its place in the order.
   */
  public Route key(String text) {
    Function<Delivery, Optional<String>> key = filled(text);
    return with(
        options -> {
          options.key = key;
          options.needsKey = true;
        });
  }

  /** As {@link #key(String)}; null stands for no key. */
  public Route key(Function<Delivery, @Nullable String> function) {
    Function<Delivery, Optional<String>> key = computed(function);
    return with(
        options -> {
          options.key = key;
          options.needsKey = false;
        });
  }

  /** Adds a header, or replaces one of the message. Left as it is if a value is missing. */
  public Route header(String name, String text) {
    return withHeaderFrom(name, filled(text));
  }

  /** As {@link #header(String, String)}; null leaves it as it is. */
  public Route header(String name, Function<Delivery, @Nullable String> function) {
    return withHeaderFrom(name, computed(function));
  }

  private Route withHeaderFrom(String name, Function<Delivery, Optional<String>> value) {
    Map<String, Function<Delivery, Optional<String>>> headers =
        new LinkedHashMap<>(options.headers);
    headers.put(requireNonNull(name, "name"), value);
    return with(options -> options.headers = headers);
  }

  /** Drops those that do not fit: they are not sent, and count as ignored. */
  public Route filter(Predicate<Delivery> fits) {
    requireNonNull(fits, "fits");
    Predicate<Delivery> others = options.filter;
    return with(options -> options.filter = others.and(fits));
  }

  /** Sends something else than the payload. Tombstones stay tombstones. */
  public <P> Route mapping(Class<P> payloadClass, Function<? super P, ?> function) {
    requireNonNull(function, "function");
    return mapping(payloadClass, (payload, delivery) -> function.apply(payload));
  }

  /** As {@link #mapping(Class, Function)}, with all that is known about the message. */
  public <P> Route mapping(Class<P> payloadClass, BiFunction<? super P, Delivery, ?> function) {
    Mapping<P> mapping = new Mapping<>(payloadClass, function);
    return with(options -> options.mapping = mapping);
  }

  // --- what was set

  public Selection selection() {
    return selection;
  }

  public String sender() {
    return sender;
  }

  /** Empty if the message lacks a value that the text names. */
  public Optional<String> destination(Delivery delivery) {
    return options.destination.apply(delivery);
  }

  /** Whether it names a routing key. */
  public boolean hasRoutingKey() {
    return options.routingKey != null;
  }

  /** Empty if it names none, or the message lacks a value that the text names. */
  public Optional<String> routingKey(Delivery delivery) {
    return options.routingKey == null ? Optional.empty() : options.routingKey.apply(delivery);
  }

  /** Whether a message without the values that the key names must not be sent. */
  public boolean needsKey() {
    return options.needsKey;
  }

  /** Empty if there is none. */
  public Optional<String> key(Delivery delivery) {
    return options.key.apply(delivery);
  }

  /** The headers it adds to those of a message. */
  public Map<String, String> headers(Delivery delivery) {
    Map<String, String> headers = new LinkedHashMap<>();
    options.headers.forEach(
        (name, value) -> value.apply(delivery).ifPresent(text -> headers.put(name, text)));
    return headers;
  }

  /** Whether the message is to be sent. */
  public boolean passes(Delivery delivery) {
    return options.filter.test(delivery);
  }

  /** Empty: the payload is sent as it is. */
  public Optional<Mapping<?>> mapping() {
    return Optional.ofNullable(options.mapping);
  }
}
