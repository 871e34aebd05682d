/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal;

import io.posthorn.spi.Duty;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.StepResult;
import java.time.Duration;

/**
 * Deletes ready messages by age, in batches, where a reader of the database's log delivers them.
 */
final class Purger implements Duty {
  private static final int BATCH = 1_000;
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  private final MessageStore store;
  private final Duration age;

  Purger(MessageStore store, Duration age) {
    this.store = store;
    this.age = age;
  }

  @Override
  public String name() {
    return "purge";
  }

  @Override
  public StepResult runOnce() {
    int purged = store.purgeReady(age, BATCH);
    return purged == BATCH ? StepResult.again(purged) : new StepResult(purged, INTERVAL);
  }
}
