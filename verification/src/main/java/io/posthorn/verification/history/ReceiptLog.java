/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import io.posthorn.Delivery;
import java.io.IOException;
import java.nio.file.Path;

/** What the handlers of one process have received. Safe to share between threads. */
public final class ReceiptLog {
  private final String life;
  private final LogFile file;

  public ReceiptLog(String life, Path path) throws IOException {
    this.life = life;
    this.file = new LogFile(path);
  }

  public void note(Receipt.Kind kind, Delivery delivery) {
    file.write(
        new Receipt(
                kind,
                life,
                delivery.handler(),
                delivery.message().partition(),
                delivery.epoch(),
                delivery.attempt(),
                delivery.messageId(),
                System.currentTimeMillis())
            .line());
  }
}
