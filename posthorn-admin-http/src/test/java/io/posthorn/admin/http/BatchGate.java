/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin.EntryId;
import io.posthorn.AdminAction;
import io.posthorn.spi.RelayListener;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/** Holds actions after each committed batch until it is opened. */
final class BatchGate implements RelayListener {
  private static final int PATIENCE_SECONDS = 20;

  private final Semaphore batches = new Semaphore(0);
  private final CountDownLatch open = new CountDownLatch(1);

  @Override
  public void byHand(AdminAction.Kind action, Collection<EntryId> entries) {
    batches.release();
    try {
      if (!open.await(PATIENCE_SECONDS, SECONDS)) {
        throw new AssertionError("nobody opened the gate");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until so many more batches are committed. */
  void awaitBatches(int count) throws InterruptedException {
    assertThat(batches.tryAcquire(count, PATIENCE_SECONDS, SECONDS))
        .as("%d more batches, of which came %d", count, batches.availablePermits())
        .isTrue();
  }

  /** Batches that nobody has waited for. */
  int furtherBatches() {
    return batches.availablePermits();
  }

  void open() {
    open.countDown();
  }
}
