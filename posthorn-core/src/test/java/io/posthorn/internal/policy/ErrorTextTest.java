/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ErrorTextTest {

  @Test
  void theTextNamesTheFailureAndItsCauses() {
    Exception failure = new IllegalStateException("no answer", new RuntimeException("refused"));

    assertThat(ErrorText.of(failure))
        .isEqualTo(
            "java.lang.IllegalStateException: no answer; caused by java.lang.RuntimeException: refused");
  }

  @Test
  void charactersThatSomeDatabaseRefusesAreReplaced() {
    assertThat(ErrorText.of(new Exception("a\0b\uD800c\uDC00d😀e\tf")))
        .isEqualTo("java.lang.Exception: a\uFFFDb\uFFFDc\uFFFDd😀e\tf");
  }

  @Test
  void aLongTextIsCutWithoutHalvingACharacter() {
    String text = ErrorText.of(new Exception("😀".repeat(5_000)));

    assertThat(text.codePointCount(0, text.length())).isEqualTo(2_000);
    assertThat(text).endsWith("😀");
  }

  @Test
  void causesThatGoRoundInCirclesEnd() {
    Exception first = new Exception("first");
    Exception second = new Exception("second", first);
    first.initCause(second);

    assertThat(ErrorText.of(first))
        .startsWith("java.lang.Exception: first; caused by java.lang.Exception: second")
        .hasSizeLessThan(300);
  }

  @Test
  void aFailureThatCannotTellItsMessageIsStillNamed() {
    assertThat(ErrorText.of(new Mute())).contains(Mute.class.getName()).contains("no text");
  }

  private static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("not now");
    }
  }
}
