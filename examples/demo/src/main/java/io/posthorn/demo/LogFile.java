/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.FileHandler;
import java.util.logging.Handler;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Sends everything that is logged to a file instead of the console, until it is closed. */
final class LogFile implements AutoCloseable {
  private static final Logger ROOT = Logger.getLogger("");

  private final List<Handler> before = List.of(ROOT.getHandlers());
  private final FileHandler file;

  LogFile(Path path) throws IOException {
    file = new FileHandler(path.toString());
    file.setFormatter(new SimpleFormatter());
    before.forEach(ROOT::removeHandler);
    ROOT.addHandler(file);
  }

  @Override
  public void close() {
    ROOT.removeHandler(file);
    file.close();
    before.forEach(ROOT::addHandler);
  }
}
