/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import java.util.ResourceBundle;

/** Has no memory left to write a line with. */
final class ThrowingLogger implements System.Logger {
  @Override
  public String getName() {
    return "throwing";
  }

  @Override
  public boolean isLoggable(Level level) {
    return true;
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
    throw new InternalError("while logging");
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
    throw new InternalError("while logging");
  }
}
