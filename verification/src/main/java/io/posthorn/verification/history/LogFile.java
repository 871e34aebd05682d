/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/** Lines that outlive the process that wrote them: each is handed to the system at once. */
final class LogFile {
  private final ReentrantLock lock = new ReentrantLock();
  private final OutputStream file; // guarded by lock

  LogFile(Path path) throws IOException {
    this.file = Files.newOutputStream(path, CREATE, APPEND);
  }

  void write(String lines) {
    byte[] bytes = lines.getBytes(UTF_8);
    lock.lock();
    try {
      file.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      lock.unlock();
    }
  }
}
