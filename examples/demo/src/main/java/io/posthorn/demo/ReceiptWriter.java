/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Appends receipts to a file, one system call a line: what was written is there when the process is
 * killed. Safe to share between threads.
 */
final class ReceiptWriter implements AutoCloseable {
  private final ReentrantLock lock = new ReentrantLock();
  private final String relay;
  private final OutputStream file; // guarded by lock

  ReceiptWriter(String relay, Path file) throws IOException {
    this.relay = relay;
    this.file = Files.newOutputStream(file, CREATE, APPEND);
  }

  String relay() {
    return relay;
  }

  void write(Receipt receipt) {
    byte[] line = receipt.line().getBytes(StandardCharsets.UTF_8);
    lock.lock();
    try {
      file.write(line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      file.close();
    } finally {
      lock.unlock();
    }
  }
}
