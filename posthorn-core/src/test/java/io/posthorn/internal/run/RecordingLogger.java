/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import java.text.MessageFormat;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps each line with its level: {@code WARNING text}. */
public final class RecordingLogger implements System.Logger {
  private final List<String> lines = new CopyOnWriteArrayList<>();

  public List<String> lines() {
    return List.copyOf(lines);
  }

  @Override
  public String getName() {
    return "recording";
  }

  @Override
  public boolean isLoggable(Level level) {
    return true;
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
    lines.add(level + " " + message + (thrown == null ? "" : " <" + thrown.getMessage() + ">"));
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
    lines.add(level + " " + MessageFormat.format(format, parameters));
  }
}
