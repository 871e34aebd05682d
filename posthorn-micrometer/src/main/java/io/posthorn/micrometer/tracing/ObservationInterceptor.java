/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer.tracing;

import static java.util.Objects.requireNonNull;

import io.micrometer.observation.NullObservation;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.posthorn.Delivery;
import io.posthorn.micrometer.tracing.DeliveryObservationContext.Outcome;
import io.posthorn.spi.DeliveryInterceptor;
import io.posthorn.spi.LoggerSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Observes each call of a handler. Where tracing is set up, the observation is a span that goes on
 * with the trace of the publisher, or begins one if the message has none; it is active while the
 * handler runs. Each attempt is a span of its own, with the publisher's as its parent. Safe to
 * share between threads.
 *
 * <p>In a batch each message has its span, and the handler works in that of the last one.
 *
 * <p>An observation that cannot be begun is logged, at WARN the first time, and the message is
 * delivered without.
 *
 * @since 0.1
 */
public final class ObservationInterceptor implements DeliveryInterceptor {
  private static final System.Logger LOG = LoggerSource.of(ObservationInterceptor.class.getName());
  private static final DeliveryObservationConvention DEFAULT =
      new DefaultDeliveryObservationConvention();

  private final ObservationRegistry registry;
  private final @Nullable DeliveryObservationConvention convention;
  private final AtomicBoolean hasFailed = new AtomicBoolean();

  // Not static: applications may have several, each with a registry of its own.
  @SuppressWarnings("ThreadLocalUsage")
  private final ThreadLocal<@Nullable Open> innermost = new ThreadLocal<>();

  /**
   * An observation under way.
   *
   * @param blank covers what was active before: another message of the batch, whose trace or
   *     baggage this one must not inherit
   * @param outer that of the message before this one in the batch, or null
   */
  private record Open(
      DeliveryObservationContext context,
      Observation observation,
      Observation.Scope blank,
      Observation.Scope scope,
      @Nullable Open outer) {}

  /** Observes with the convention set in the registry, or else the default one. */
  public ObservationInterceptor(ObservationRegistry registry) {
    this(registry, null);
  }

  /**
   * @param convention null: the one set in the registry, or else the default one
   */
  public ObservationInterceptor(
      ObservationRegistry registry, @Nullable DeliveryObservationConvention convention) {
    this.registry = requireNonNull(registry, "registry");
    this.convention = convention;
  }

  @Override
  public void before(Delivery delivery) {
    innermost.set(open(new DeliveryObservationContext(delivery), innermost.get()));
  }

  @Override
  public void after(Delivery delivery, @Nullable Throwable failure) {
    Open open = leave();
    if (open != null) {
      close(open, failure);
    }
  }

  /** The observation goes on until the answer comes; its scope ends with the worker's part. */
  @Override
  public Consumer<@Nullable Throwable> suspend(Delivery delivery) {
    Open open = leave();
    if (open == null) {
      return failure -> {};
    }
    open.scope().close();
    open.blank().close();
    Open later =
        new Open(
            open.context(),
            open.observation(),
            Observation.Scope.NOOP,
            Observation.Scope.NOOP,
            null);
    return failure -> close(later, failure);
  }

  private @Nullable Open leave() {
    Open open = innermost.get();
    if (open == null || open.outer() == null) {
      innermost.remove();
    } else {
      innermost.set(open.outer());
    }
    return open;
  }

  private Open open(DeliveryObservationContext context, @Nullable Open outer) {
    Observation.Scope blank = Observation.Scope.NOOP;
    try {
      blank = new NullObservation(registry).openScope();
      Observation observation =
          Observation.createNotStarted(convention, DEFAULT, () -> context, registry).start();
      return new Open(context, observation, blank, observation.openScope(), outer);
    } catch (RuntimeException e) { // conventions and handlers of observations are the user's
      log(e, context.delivery());
      return new Open(context, Observation.NOOP, blank, Observation.Scope.NOOP, outer);
    }
  }

  private static void close(Open open, @Nullable Throwable failure) {
    Observation.Scope blank = open.blank();
    Observation.Scope scope = open.scope();
    try (blank;
        scope) {
      open.context().ended(failure == null ? Outcome.SUCCESS : Outcome.ERROR);
      if (failure != null) {
        open.observation().error(failure);
      }
    } finally {
      open.observation().stop();
    }
  }

  private void log(RuntimeException failure, Delivery delivery) {
    LOG.log(
        hasFailed.getAndSet(true) ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
        () -> "delivering message \"" + delivery.messageId() + "\" without observing it",
        failure);
  }
}
