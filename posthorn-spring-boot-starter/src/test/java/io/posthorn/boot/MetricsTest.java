/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.search.Search;
import io.posthorn.Delivery;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.micrometer.PosthornMetrics;
import io.posthorn.spi.RelayListener;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import java.time.Clock;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;

class MetricsTest {
  /** Hears of deliveries after the meters have. */
  @Configuration(proxyBeanMethods = false)
  static class Watch {
    @Bean
    Ends ends() {
      return new Ends();
    }

    @Bean
    PosthornCustomizer watching(Ends ends) {
      return (name, builder) -> builder.listener(ends.listener());
    }
  }

  /** No listener itself: as a bean it would be told before the meters are. */
  static class Ends {
    private final BlockingQueue<Delivery> delivered = new LinkedBlockingQueue<>();

    RelayListener listener() {
      return new RelayListener() {
        @Override
        public void delivered(Delivery delivery) {
          delivered.add(delivery);
        }
      };
    }

    void await() throws InterruptedException {
      assertThat(delivered.poll(20, TimeUnit.SECONDS)).isNotNull();
    }
  }

  private static Counter counter(ConfigurableApplicationContext context, String... tags) {
    return context.getBean(MeterRegistry.class).get("posthorn.published").tags(tags).counter();
  }

  @Test
  void metersCountWhatTheOutboxDoesAndShowWhatItsRelayHas() throws Exception {
    try (ConfigurableApplicationContext context = Shop.run(Watch.class)) {
      MeterRegistry registry = context.getBean(MeterRegistry.class);
      context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 42));
      context.getBean(Ends.class).await();

      String[] tags = {"outbox", "outbox", "type", "order-placed", "handler", "mailer"};
      assertThat(counter(context, "outbox", "outbox", "type", "order-placed").count()).isOne();
      assertThat(registry.get("posthorn.delivered").tags(tags).counter().count()).isOne();
      assertThat(registry.get("posthorn.publish.to.delivery").tags(tags).timer().count()).isOne();
      assertThat(registry.get("posthorn.lease.valid").tag("outbox", "outbox").gauge().value())
          .isOne();
      assertThat(registry.get("posthorn.oldest.age").tag("outbox", "outbox").meters()).hasSize(1);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class NoMail {
    @Bean
    PosthornCustomizer failing() {
      return (name, builder) ->
          builder.handler(
              "refuser",
              "order-placed",
              Shop.Order.class,
              (order, delivery) -> {
                throw new IllegalStateException("no mail today");
              });
    }
  }

  @Test
  void whatWaitsIsCountedAtTheIntervalOfTheProperties() throws Exception {
    try (ConfigurableApplicationContext context =
        Shop.run(
            NoMail.class,
            "posthorn.metrics.survey-interval=20ms",
            "posthorn.metrics.survey-limit=7",
            "posthorn.retry.max-attempts=1")) {
      // The meter itself: the registry tells of it before it can be found there.
      CompletableFuture<Meter> added = new CompletableFuture<>();
      context
          .getBean(MeterRegistry.class)
          .config()
          .onMeterAdded(
              meter -> {
                if (meter.getId().getName().equals("posthorn.dead")) {
                  added.complete(meter);
                }
              });
      context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 42));

      Meter dead = added.get(20, TimeUnit.SECONDS);
      assertThat(dead.getId().getTags())
          .contains(
              Tag.of("outbox", "outbox"),
              Tag.of("type", "order-placed"),
              Tag.of("handler", "refuser"));
      assertThat(dead.measure().iterator().next().getValue()).isOne();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoOutboxes {
    @Bean
    Posthorn orders(
        PosthornFactory factory, DataSource dataSource, PlatformTransactionManager manager) {
      return factory.create(PosthornFactory.DEFAULT_NAME, dataSource, manager);
    }

    @Bean
    Outbox outbox(Posthorn orders) {
      return orders.outbox();
    }

    @Bean
    InMemoryTransactions memory() {
      return new InMemoryTransactions();
    }

    @Bean
    Posthorn billing(PosthornFactory factory, InMemoryTransactions memory) {
      return factory.create(
          "billing",
          new InMemoryStore(Clock.systemUTC(), 4),
          memory,
          builder -> builder.handler("biller", "bill", Shop.Order.class, (order, delivery) -> {}));
    }
  }

  @Test
  void eachOutboxHasItsMetersUntilItStops() {
    MeterRegistry registry;
    try (ConfigurableApplicationContext context =
        Shop.run(TwoOutboxes.class, "posthorn.publish.accept-unhandled-types=true")) {
      registry = context.getBean(MeterRegistry.class);
      context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 42));
      Posthorn billing = context.getBean("billing", Posthorn.class);
      context
          .getBean(InMemoryTransactions.class)
          .run(() -> billing.outbox().publish("bill", new Shop.Order("b-1", 42)));

      assertThat(counter(context, "outbox", "outbox", "type", "order-placed").count()).isOne();
      assertThat(counter(context, "outbox", "billing", "type", "bill").count()).isOne();
      assertThat(registry.get("posthorn.lease.valid").gauges())
          .extracting(gauge -> gauge.getId().getTag("outbox"))
          .containsExactlyInAnyOrder("outbox", "billing");
    }
    assertThat(Search.in(registry).name("posthorn.lease.valid").meters())
        .as("gauges of outboxes that have stopped")
        .isEmpty();
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnMetrics {
    @Bean
    PosthornMetrics ownMetrics(MeterRegistry registry) {
      return new PosthornMetrics(registry, Tag.of("shop", "berlin"));
    }
  }

  @Test
  void metricsOfTheApplicationReplaceThem() {
    try (ConfigurableApplicationContext context = Shop.run(OwnMetrics.class)) {
      context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 42));

      assertThat(context.getBeanNamesForType(MetricsCompanion.class)).isEmpty();
      assertThat(counter(context).getId().getTag("shop")).isEqualTo("berlin");
      assertThat(counter(context).count()).isOne();
    }
  }

  @Test
  void theyCanBeSwitchedOff() {
    try (ConfigurableApplicationContext context =
        Shop.run(Shop.class, "posthorn.metrics.enabled=false")) {
      context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 42));

      assertThat(context.getBean(MeterRegistry.class).getMeters())
          .extracting(Meter::getId)
          .extracting(Meter.Id::getName)
          .isNotEmpty()
          .noneMatch(name -> name.startsWith("posthorn.") && !name.startsWith("posthorn.delivery"));
    }
  }

  @Test
  void anOutboxThatIsStartedByHandHasItsMetersToo() {
    try (ConfigurableApplicationContext context =
        Shop.run(Shop.class, "posthorn.auto-start=false")) {
      assertThat(context.getBean(MeterRegistry.class).get("posthorn.survey.age").meters())
          .hasSize(1);
    }
  }
}
