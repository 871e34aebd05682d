/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.posthorn.DeliveryResult;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.MessageStore;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.MutableClock;
import io.posthorn.test.StepRunner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/** A store in memory, a registry, and relays with metrics that run step by step. */
final class Stage implements AutoCloseable {
  static final String TYPE = "order-placed";
  static final String HANDLER = "mailer";
  private static final Duration SECOND = Duration.ofSeconds(1);

  final MutableClock clock = new MutableClock();
  final MutableClock databaseClock = new MutableClock();
  final InMemoryStore store = new InMemoryStore(databaseClock, 4);
  final InMemoryTransactions transactions = new InMemoryTransactions();
  final MeterRegistry registry;

  /** What handlers do. */
  Handler.Deciding<String> handling = (payload, delivery) -> DeliveryResult.delivered();

  private final List<MeteredRelay> relays = new ArrayList<>();

  Stage() {
    this(new SimpleMeterRegistry());
  }

  Stage(MeterRegistry registry) {
    this.registry = registry;
    clock.onAdvance(databaseClock::advance);
  }

  /** A relay with its metrics; the meters have a tag with its name. */
  final class MeteredRelay implements AutoCloseable {
    final StepRunner steps = new StepRunner();
    final PosthornMetrics metrics;
    final Posthorn posthorn;
    private final Surveyor surveyor;

    private MeteredRelay(String name, MessageStore on, Consumer<Posthorn.Builder> settings) {
      this.metrics =
          PosthornMetrics.builder(registry)
              .outbox("orders")
              .tags(Tag.of("instance", name))
              .clock(clock)
              .ticker(clock.ticker())
              .surveyLimit(100)
              .build();
      Posthorn.Builder builder =
          metrics
              .addTo(Posthorn.inOneProcess(on, transactions))
              .clock(clock)
              .ticker(clock.ticker())
              .dutyRunner(steps)
              .relay(
                  relay ->
                      relay
                          .name(name)
                          .executor(Runnable::run)
                          .retry(RetryPolicy.exponential(SECOND, SECOND, 2)));
      settings.accept(builder);
      this.posthorn = builder.build();
      this.surveyor = metrics.watch(posthorn);
      posthorn.start();
      survey();
      steps.drain();
    }

    void survey() {
      surveyor.runOnce();
    }

    void publish(Message... messages) {
      transactions.run(() -> posthorn.outbox().publishAll(List.of(messages)));
    }

    void drain() {
      steps.drain();
    }

    /** Lets time pass in steps within the lease. */
    void pass(Duration time) {
      for (Duration left = time; left.compareTo(Duration.ZERO) > 0; left = left.minus(SECOND)) {
        clock.advance(SECOND);
        drain();
      }
    }

    @Override
    public void close() {
      metrics.close();
      posthorn.close();
    }
  }

  MeteredRelay relay() {
    return relay("a", any -> {});
  }

  MeteredRelay relay(String name, Consumer<Posthorn.Builder> settings) {
    return relay(name, store, settings);
  }

  MeteredRelay relay(String name, MessageStore on, Consumer<Posthorn.Builder> settings) {
    MeteredRelay relay =
        new MeteredRelay(
            name,
            on,
            builder -> {
              builder.handler(
                  HandlerSpec.deciding(
                      HANDLER,
                      TYPE,
                      String.class,
                      (payload, delivery) -> handling.handle(payload, delivery)));
              settings.accept(builder);
            });
    relays.add(relay);
    return relay;
  }

  void failing() {
    handling =
        (payload, delivery) -> {
          throw new IllegalStateException("no route");
        };
  }

  void working() {
    handling = (payload, delivery) -> DeliveryResult.delivered();
  }

  static Message message(String key) {
    return Message.of(TYPE).key(key).payload("x").build();
  }

  /** The value of the only meter with this name and these tags; fails if there is none. */
  double value(MeterName name, String... tags) {
    Collection<Meter> meters = registry.get(name.id).tags(tags).meters();
    assertThat(meters).as("%s with %s", name.id, List.of(tags)).hasSize(1);
    return meters.iterator().next().measure().iterator().next().getValue();
  }

  boolean has(MeterName name, String... tags) {
    return !Search.in(registry).name(name.id).tags(tags).meters().isEmpty();
  }

  /** The value for the only handler and type. */
  double ofHandler(MeterName name) {
    return value(name, "outbox", "orders", "type", TYPE, "handler", HANDLER);
  }

  @Override
  public void close() {
    relays.forEach(MeteredRelay::close);
  }
}
