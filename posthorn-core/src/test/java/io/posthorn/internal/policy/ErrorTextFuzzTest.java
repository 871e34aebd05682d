/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;

class ErrorTextFuzzTest {

  @Property
  void whateverAFailureSaysIsShortAndStorable(
      @ForAll @StringLength(max = 5_000) String message, @ForAll String cause) {
    String text = ErrorText.of(new Exception(message, new Exception(cause)));

    assertThat(text.codePointCount(0, text.length())).isLessThanOrEqualTo(2_000);
    assertThat(text).doesNotContain("\0");
    assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(text)).isTrue();
  }
}
