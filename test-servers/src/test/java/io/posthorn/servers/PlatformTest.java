/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PlatformTest {

  @Test
  void linuxOnAmd64IsSupported() {
    assertThatCode(() -> Platform.check("Linux", "amd64", true)).doesNotThrowAnyException();
  }

  @Test
  void otherPlatformsAreRefusedWithAdvice() {
    assertThatThrownBy(() -> Platform.check("Mac OS X", "aarch64", false))
        .hasMessageContaining("\"Mac OS X aarch64\"")
        .hasMessageContaining("run the tests on such a machine");
    assertThatThrownBy(() -> Platform.check("Linux", "amd64", false))
        .hasMessageContaining("without glibc");
  }
}
