/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HandlersTextTest {

  @Test
  void handlersComeBackWithTheirTypes() {
    Map<String, Set<String>> handlers = new LinkedHashMap<>();
    handlers.put("mailer", Set.of("order-placed", "order shipped", "ä😀\"'\\"));
    handlers.put("audit: all, of it", Set.of());

    assertThat(HandlersText.parse(HandlersText.of(handlers))).isEqualTo(handlers);
  }

  @Test
  void typesAreSortedSoThatTheSameHandlersGiveTheSameText() {
    assertThat(HandlersText.of(Map.of("mailer", Set.of("b", "c", "a"))))
        .isEqualTo("mailer\ta\tb\tc");
  }

  @Test
  void noHandlersAreNone() {
    assertThat(HandlersText.parse(HandlersText.of(Map.of()))).isEmpty();
  }
}
