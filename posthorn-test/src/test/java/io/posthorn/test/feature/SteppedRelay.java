/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.spi.MessageStore;
import io.posthorn.test.DeliveryLog;
import io.posthorn.test.StepRunner;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/** A relay that runs step by step on the calling thread, with a log of what it does. */
public final class SteppedRelay implements AutoCloseable {
  private final StepRunner steps = new StepRunner();
  private final DeliveryLog log = new DeliveryLog();
  private final Posthorn posthorn;
  private final Scene scene;

  SteppedRelay(String name, MessageStore store, Scene scene, Consumer<Posthorn.Builder> settings) {
    this.scene = scene;
    Posthorn.Builder builder =
        Posthorn.inOneProcess(store, scene.transactions())
            .clock(scene.clock())
            .ticker(scene.clock().ticker())
            .dutyRunner(steps)
            .listener(log)
            .relay(r -> r.name(name).executor(Runnable::run).retry(Scene.EACH_SECOND));
    settings.accept(builder);
    this.posthorn = builder.build();
    posthorn.start();
  }

  public StepRunner steps() {
    return steps;
  }

  public DeliveryLog log() {
    return log;
  }

  public Posthorn posthorn() {
    return posthorn;
  }

  /** Publishes in a transaction of its own. */
  public List<UUID> publish(Message... messages) {
    return scene.publish(posthorn, messages);
  }

  /** Runs all duties until none has anything to do. */
  public void drain() {
    steps.drain();
  }

  /** Lets time pass in short steps, running all duties after each, so that the lease stays. */
  public void pass(Duration time) {
    Duration step = Duration.ofSeconds(1);
    for (Duration left = time; left.compareTo(Duration.ZERO) > 0; left = left.minus(step)) {
      scene.clock().advance(left.compareTo(step) < 0 ? left : step);
      drain();
    }
  }

  @Override
  public void close() {
    posthorn.close();
  }
}
