/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.architecture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where packages come from is a matter of the machine that builds, not of this tree. */
class RegistryHostTest {

  // Put together here, so that this file does not find itself.
  private static final List<String> HOSTS =
      List.of("repo" + ".maven", "repo1" + ".maven", "registry" + ".npmjs");

  @Test
  void noFileNamesThePackageRegistry() throws IOException {
    List<Path> offenders = new ArrayList<>();
    for (Path file : ProjectTree.files()) {
      String text = Files.readString(file, ISO_8859_1);
      if (HOSTS.stream().anyMatch(text::contains)) {
        offenders.add(file);
      }
    }

    assertThat(offenders).isEmpty();
  }
}
