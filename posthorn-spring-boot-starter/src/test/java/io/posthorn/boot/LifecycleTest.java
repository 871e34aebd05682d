/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.spring.OutboxHandler;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class LifecycleTest {
  /** A handler that writes to the database when it is let go. */
  @Configuration(proxyBeanMethods = false)
  static class Slow {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch released = new CountDownLatch(1);
    final AtomicBoolean written = new AtomicBoolean();

    @Bean
    SlowHandler slowHandler(JdbcTemplate sql) {
      return new SlowHandler(this, sql);
    }
  }

  static class SlowHandler {
    private final Slow slow;
    private final JdbcTemplate sql;

    SlowHandler(Slow slow, JdbcTemplate sql) {
      this.slow = slow;
      this.sql = sql;
    }

    @OutboxHandler(type = "slow", name = "slow")
    void handle(String payload) throws InterruptedException {
      slow.begun.countDown();
      slow.released.await();
      sql.queryForObject("SELECT 1", Integer.class); // the data source is still there
      slow.written.set(true);
    }
  }

  private static void publishSlow(ConfigurableApplicationContext context) {
    context
        .getBean(TransactionTemplate.class)
        .executeWithoutResult(status -> context.getBean(Outbox.class).publish("slow", "payload"));
  }

  @Test
  void aClosingContextWaitsForDeliveriesUnderWay() throws Exception {
    ConfigurableApplicationContext context = Shop.run(Slow.class);
    Slow slow = context.getBean(Slow.class);
    publishSlow(context);
    assertThat(slow.begun.await(20, TimeUnit.SECONDS)).isTrue();

    CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
    slow.released.countDown();

    closed.get(20, TimeUnit.SECONDS);
    assertThat(slow.written).isTrue();
  }

  @Test
  void itDoesNotWaitForLongerThanSpringsTimeout() throws Exception {
    ConfigurableApplicationContext context =
        Shop.run(Slow.class, "spring.lifecycle.timeout-per-shutdown-phase=2s");
    Slow slow = context.getBean(Slow.class);
    publishSlow(context);
    assertThat(slow.begun.await(20, TimeUnit.SECONDS)).isTrue();

    CompletableFuture.runAsync(context::close).get(20, TimeUnit.SECONDS);

    assertThat(slow.written).isFalse();
  }

  @Test
  void startCanBeLeftToTheApplication() throws Exception {
    try (ConfigurableApplicationContext context =
        Shop.run(Shop.class, "posthorn.auto-start=false")) {
      Posthorn posthorn = context.getBean(Posthorn.class);
      assertThat(posthorn.status()).isEmpty();
      context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 1));

      posthorn.start();

      assertThat(context.getBean(Shop.Mailer.class).next().id()).isEqualTo("o-1");
    }
  }

  @Test
  void anOutboxThatWasStartedByHandIsStoppedToo() {
    Posthorn posthorn;
    try (ConfigurableApplicationContext context =
        Shop.run(Shop.class, "posthorn.auto-start=false")) {
      posthorn = context.getBean(Posthorn.class);
      posthorn.start();
    }

    assertThat(posthorn.status()).isEmpty();
    assertThatThrownBy(posthorn::start).isInstanceOf(IllegalStateException.class);
  }

  /** Fails whenever an outbox is about to stop. */
  private static final class Failing implements OutboxCompanion {
    @Override
    public void join(String name, Posthorn.Builder builder) {}

    @Override
    public void built(String name, Posthorn posthorn) {}

    @Override
    public void started(Posthorn posthorn) {}

    @Override
    public void stopping(Posthorn posthorn) {
      throw new IllegalStateException("as planned");
    }
  }

  static class OfSecond {
    @OutboxHandler(type = "second", name = "second", outbox = "second")
    void handle(String payload) {}
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoOutboxes {
    @Bean
    OfSecond ofSecond() {
      return new OfSecond();
    }

    @Bean
    OutboxCompanion failing() {
      return new Failing();
    }

    @Bean
    Posthorn first(
        PosthornFactory factory, DataSource dataSource, PlatformTransactionManager manager) {
      return factory.create("outbox", dataSource, manager);
    }

    @Bean
    Posthorn second(
        PosthornFactory factory, DataSource dataSource, PlatformTransactionManager manager) {
      return factory.create("second", dataSource, manager);
    }

    @Bean
    @Primary
    Outbox primary(@Qualifier("first") Posthorn first) {
      return first.outbox();
    }
  }

  @Test
  void aFailureWhileStoppingDoesNotKeepTheOthersFromStopping() { // issue 18, E14
    List<Posthorn> outboxes;
    try (ConfigurableApplicationContext context = Shop.run(TwoOutboxes.class)) {
      outboxes = List.copyOf(context.getBeansOfType(Posthorn.class).values());
      assertThat(outboxes).hasSize(2).allMatch(outbox -> outbox.status().isPresent());

      context.getBean(PosthornLifecycle.class).stop();

      assertThat(outboxes).allMatch(outbox -> outbox.status().isEmpty());
      assertThat(context.getBean(PosthornLifecycle.class).isRunning()).isFalse();
    }
  }

  /** Asks while singletons are made whether the relay runs already. */
  @Configuration(proxyBeanMethods = false)
  static class Early {
    final AtomicBoolean ranTooEarly = new AtomicBoolean();

    @Bean
    InitializingBean question(Posthorn posthorn) {
      return () -> ranTooEarly.set(posthorn.status().isPresent());
    }
  }

  @Test
  void itStartsWhenTheContextIsReady() {
    try (ConfigurableApplicationContext context = Shop.run(Early.class)) {
      assertThat(context.getBean(Early.class).ranTooEarly).isFalse();
      assertThat(context.getBean(Posthorn.class).status()).isPresent();
    }
  }

  /** Notes what kind of thread a handler runs on. */
  @Configuration(proxyBeanMethods = false)
  static class Threads {
    final CompletableFuture<String> thread = new CompletableFuture<>();

    @Bean
    ThreadHandler threadHandler() {
      return new ThreadHandler(thread);
    }
  }

  static class ThreadHandler {
    private final CompletableFuture<String> thread;

    ThreadHandler(CompletableFuture<String> thread) {
      this.thread = thread;
    }

    @OutboxHandler(type = "slow", name = "threads")
    void handle(String payload) {
      thread.complete(Thread.currentThread().toString());
    }
  }

  @Test
  void handlersRunOnVirtualThreadsWhenSpringSaysSo() throws Exception {
    Assumptions.assumeTrue(Runtime.version().feature() >= 21);
    try (ConfigurableApplicationContext context =
        Shop.run(Threads.class, "spring.threads.virtual.enabled=true")) {
      publishSlow(context);

      assertThat(context.getBean(Threads.class).thread.get(20, TimeUnit.SECONDS))
          .startsWith("VirtualThread");
    }
  }
}
