/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Drivers' messages quote what the server sent, and what was sent to it. */
class StoreFailuresFuzzTest {

  @Property
  void anyMessageGivesOneLine(@ForAll("messages") String message) {
    assertThat(StoreFailures.firstLine(new SQLException(message)))
        .doesNotContain("\n", "\r")
        .hasSizeLessThanOrEqualTo(2 * message.length() + 20);
  }

  @Property
  void aPasswordIsLeftOutWhateverStandsAroundIt(
      @ForAll("words") String before, @ForAll("words") String after) {
    String message = before + "&password=hunter2&" + after;

    assertThat(StoreFailures.firstLine(new SQLException(message))).doesNotContain("hunter2");
  }

  @Example
  void aLongMessageTakesNoTimeToSpeakOf() {
    for (String piece : List.of("a", "/", ":", "a:", "password", "x'", "\\x", "0", "=", " ")) {
      SQLException failure = new SQLException(piece.repeat((1 << 18) / piece.length()));
      assertTimeoutPreemptively(
          Duration.ofSeconds(10), () -> StoreFailures.firstLine(failure), piece);
    }
  }

  @Provide
  Arbitrary<String> messages() {
    return Arbitraries.oneOf(Arbitraries.strings(), words().map(text -> text + "\n" + text));
  }

  @Provide
  Arbitrary<String> words() {
    List<String> pieces =
        List.of(
            "password", "=", "/", ":", "@", "x'", "\\x", "ff", "$1", "\\", "\"", " ", "pwd", "…");
    return Arbitraries.of(pieces).list().ofMaxSize(12).map(some -> String.join("", some));
  }
}
