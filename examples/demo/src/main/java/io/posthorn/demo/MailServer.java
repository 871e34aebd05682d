/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import io.posthorn.DestinationDownException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The mail server that the relays of all processes talk to: files in the work directory say how it
 * is. Safe to share between threads.
 */
final class MailServer {
  private final Path down;
  private final Path mended;

  MailServer(WorkDirectory directory) {
    this.down = directory.path().resolve("mail-server-down");
    this.mended = directory.path().resolve("addresses-mended");
  }

  void goDown() throws IOException {
    Files.createFile(down);
  }

  void comeBack() throws IOException {
    Files.delete(down);
  }

  /** From now on the addresses of poisoned orders exist. */
  void mendAddresses() throws IOException {
    Files.createFile(mended);
  }

  /**
   * @throws DestinationDownException if the server is down
   * @throws IllegalStateException if the order is poisoned and its address was not mended
   */
  void accept(OrderPlaced order) {
    if (Files.exists(down)) {
      throw new DestinationDownException("the mail server does not answer", null);
    }
    if (order.poisoned() && !Files.exists(mended)) {
      throw new IllegalStateException("the address does not exist");
    }
  }
}
