/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal;

import io.posthorn.RelayOptions;
import io.posthorn.RelayStatus.Program;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;

/** Which version runs. It is in a file, since a jar of all classes has no manifest of this one. */
public final class ProgramVersion {
  private static final String FILE = "version.txt";

  private ProgramVersion() {}

  static Program of(RelayOptions options, Clock clock) {
    return new Program(posthorn(), options.applicationVersion(), clock.instant());
  }

  /** The version of Posthorn, as its build wrote it down. */
  public static String posthorn() {
    try (InputStream file = ProgramVersion.class.getResourceAsStream(FILE)) {
      return file == null
          ? "unknown"
          : new String(file.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("No version read from " + FILE, e);
    }
  }
}
