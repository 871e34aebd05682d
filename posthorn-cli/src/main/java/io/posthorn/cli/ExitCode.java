/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli;

/** What the program ends with. Scripts rely on the numbers. */
public final class ExitCode {
  public static final int OK = 0;

  /** It was not done, or there is nothing of the kind. */
  public static final int FAILED = 1;

  /** The command or the configuration is wrong. */
  public static final int USAGE = 2;

  /** The database or the admin API can't be reached. */
  public static final int UNREACHABLE = 3;

  /** A relay was stopped before everything was handed over. */
  public static final int NOT_HANDED_OVER = 4;

  /** An action had not ended after the time that the command was to wait for it. */
  public static final int STILL_RUNNING = 5;

  private ExitCode() {}
}
