/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.nio.file.Files;
import java.nio.file.Path;

/** The one platform the packaged binaries run on. */
final class Platform {

  private static final Path LOADER = Path.of("/lib64/ld-linux-x86-64.so.2");

  private Platform() {}

  static void check() {
    check(System.getProperty("os.name"), System.getProperty("os.arch"), Files.exists(LOADER));
  }

  static void check(String system, String processor, boolean glibc) {
    if (!system.equals("Linux") || !processor.equals("amd64") || !glibc) {
      throw new ServerException(
          "No server binaries for \""
              + system
              + " "
              + processor
              + "\""
              + (glibc ? "" : " without glibc")
              + ". Packaged is linux-amd64 with glibc: run the tests on such a machine, for example"
              + " in a Debian container or virtual machine");
    }
  }
}
