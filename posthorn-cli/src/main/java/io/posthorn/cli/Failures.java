/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli;

import io.posthorn.ConfigurationException;
import io.posthorn.PosthornException;
import io.posthorn.spi.StoreException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Says what went wrong, without a stack trace unless nobody could foresee it. */
final class Failures implements IExecutionExceptionHandler {
  @Override
  public int handleExecutionException(
      Exception failure, CommandLine commandLine, ParseResult parsed) {
    PrintWriter err = commandLine.getErr();
    if (failure instanceof ConfigurationException e) {
      e.problems().forEach(problem -> err.println("posthorn: " + problem));
      return ExitCode.USAGE;
    }
    if (failure instanceof CommandFailure e) {
      err.println("posthorn: " + e.getMessage());
      return e.exitCode();
    }
    if (failure instanceof StoreException e) {
      err.println("posthorn: " + e.getMessage());
      return e.kind() == StoreException.Kind.UNAVAILABLE ? ExitCode.UNREACHABLE : ExitCode.FAILED;
    }
    if (failure instanceof PosthornException) {
      err.println("posthorn: " + failure.getMessage());
      return ExitCode.FAILED;
    }
    err.println("posthorn: unexpected failure; please report it");
    failure.printStackTrace(err);
    return ExitCode.FAILED;
  }
}
