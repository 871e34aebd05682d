/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a\0b", "half \ud83d of a pair"})
  void textsThatDatabasesWouldChangeAreRefused(String text) {
    assertThatThrownBy(() -> Names.requireMessageId(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("message id");
    assertThatThrownBy(() -> Names.requireConsumer(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("consumer");
  }

  @Test
  void lengthsAreThoseOfTheColumns() {
    String horn = "\ud83d\udcef"; // one character, two chars
    assertThatCode(() -> Names.requireMessageId(horn.repeat(255))).doesNotThrowAnyException();
    assertThatCode(() -> Names.requireConsumer("c".repeat(100))).doesNotThrowAnyException();
    assertThatThrownBy(() -> Names.requireMessageId("m".repeat(256)))
        .hasMessageContaining("1 to 255 characters");
    assertThatThrownBy(() -> Names.requireConsumer("c".repeat(101)))
        .hasMessageContaining("1 to 100 characters");
  }
}
