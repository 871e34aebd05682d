/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What instances find on their class path: this process's own, perhaps with classes before it. */
public final class ClassPath {
  private static volatile @Nullable Path first;

  private ClassPath() {}

  /** From now on instances find the classes of this directory first; null: no others. */
  public static void beginsWith(@Nullable Path directory) {
    first = directory;
  }

  public static String ofInstances() {
    Path broken = first;
    String own = System.getProperty("java.class.path");
    return broken == null ? own : broken + File.pathSeparator + own;
  }

  /** How long to wait for the end of all deliveries: a broken engine may never come to it. */
  public static Duration patience(Duration usual) {
    return first == null ? usual : usual.dividedBy(2);
  }
}
