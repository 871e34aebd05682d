/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import io.posthorn.DestinationDownException;
import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.OutboxMessage;
import io.posthorn.spring.OutboxHandler;
import io.posthorn.spring.OutboxRetryable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;

/** A small application to be tested. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Bakery {
  @OutboxMessage(type = "cake-ordered", key = "id")
  record Cake(String id, int candles) {}

  @OutboxMessage(type = "cake-baked", key = "id")
  record Baked(String id) {}

  static class Counter {
    private final Outbox outbox;

    Counter(Outbox outbox) {
      this.outbox = outbox;
    }

    @Transactional
    public void order(Cake cake) {
      outbox.publish(cake);
    }

    @Transactional
    public void orderFor(Cake cake, Duration delay) {
      outbox.publish(Message.of("cake-ordered").payload(cake).deliverAfter(delay).build());
    }

    @Transactional
    public void orderAndFail(Cake cake) {
      outbox.publish(cake);
      throw new IllegalStateException("no flour");
    }
  }

  /** What the oven does is decided by tests. */
  enum Oven {
    HOT,
    BROKEN,
    OUT_OF_REACH
  }

  static class Baker {
    private final Outbox outbox;
    final List<Cake> baked = new ArrayList<>();
    final List<Thread> threads = new ArrayList<>();
    Oven oven = Oven.HOT;

    Baker(Outbox outbox) {
      this.outbox = outbox;
    }

    @OutboxRetryable(maxAttempts = 2, delay = "1h", maxDelay = "1h")
    @OutboxHandler(name = "baker", transactional = true)
    void bake(Cake cake) {
      threads.add(Thread.currentThread());
      switch (oven) {
        case HOT -> {
          baked.add(cake);
          outbox.publish(new Baked(cake.id()));
        }
        case BROKEN -> throw new IllegalStateException("the oven is broken");
        case OUT_OF_REACH -> throw new DestinationDownException("no way to the oven", null);
      }
    }
  }

  static class Waiter {
    final List<String> served = new ArrayList<>();

    @OutboxHandler(name = "waiter")
    void serve(Baked cake) {
      served.add(cake.id());
    }
  }

  @Bean
  Counter counter(Outbox outbox) {
    return new Counter(outbox);
  }

  @Bean
  Baker baker(Outbox outbox) {
    return new Baker(outbox);
  }

  @Bean
  Waiter waiter() {
    return new Waiter();
  }
}
