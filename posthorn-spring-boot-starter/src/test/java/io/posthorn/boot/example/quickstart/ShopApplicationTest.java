/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Posthorn;
import io.posthorn.boot.Shop;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

class ShopApplicationTest {
  @Test
  void theQuickStartSendsItsMail() {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try (ConfigurableApplicationContext context =
        Shop.start(new String[0], ShopApplication.class)) {
      assertThat(context.getBean(Posthorn.class).relay().awaitIdle(Duration.ofSeconds(20)))
          .isTrue();
    } finally {
      System.setOut(before);
    }

    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("mail to ada@example.com about order o-1");
  }
}
