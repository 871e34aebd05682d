/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import java.io.Console;
import org.jspecify.annotations.Nullable;

/** The terminal that a person sits at, if there is one. */
final class Terminal {
  private Terminal() {}

  static boolean isThere() {
    return console() != null;
  }

  /** Null if input or output are redirected. Newer versions of Java then have a console, too. */
  @SuppressWarnings("SystemConsoleNull")
  static @Nullable Console console() {
    Console console = System.console();
    if (console == null) {
      return null;
    }
    try {
      boolean terminal = (boolean) Console.class.getMethod("isTerminal").invoke(console);
      return terminal ? console : null;
    } catch (NoSuchMethodException e) { // before Java 22
      return console;
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }
}
