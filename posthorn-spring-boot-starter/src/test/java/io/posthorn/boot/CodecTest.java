/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jackson2.Jackson2Codec;
import io.posthorn.spi.PayloadCodec;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

class CodecTest {
  private static boolean onSpringBoot3() {
    return SpringBootVersion.getVersion().startsWith("3.");
  }

  @Test
  void itIsThatOfTheApplicationsOwnMapper() {
    try (ConfigurableApplicationContext context = Shop.run(Shop.class)) {
      PayloadCodec codec = context.getBean(PayloadCodec.class);

      assertThat(codec instanceof Jackson2Codec).isEqualTo(onSpringBoot3());
      assertThat(codec.getClass().getPackageName())
          .isEqualTo(onSpringBoot3() ? "io.posthorn.jackson2" : "io.posthorn.jackson");
    }
  }

  @Test
  void theMappersSettingsHold() {
    try (ConfigurableApplicationContext context =
        Shop.run(
            Shop.class,
            "posthorn.auto-start=false",
            "spring.jackson.property-naming-strategy=UPPER_CAMEL_CASE")) {
      context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 3));

      assertThat(
              context
                  .getBean(JdbcTemplate.class)
                  .queryForObject("SELECT payload FROM outbox_message", byte[].class))
          .asString()
          .contains("\"Amount\":3");
    }
  }
}
