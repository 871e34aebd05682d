/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spring.MdcInterceptor;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class LoggedDeliveryTest {
  @Configuration(proxyBeanMethods = false)
  static class WithDiary {
    @Bean
    Diary diary() {
      return new Diary();
    }
  }

  private static Map<String, String> logged(String... properties) throws Exception {
    try (ConfigurableApplicationContext context = Shop.run(WithDiary.class, properties)) {
      context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 42));
      return context.getBean(Diary.class).next();
    }
  }

  @Test
  void linesThatAHandlerLogsNameTheMessage() throws Exception {
    Map<String, String> logged = logged();

    assertThat(logged)
        .containsEntry(MdcInterceptor.TYPE, "order-placed")
        .containsEntry(MdcInterceptor.KEY, "o-1");
    assertThat(UUID.fromString(logged.get(MdcInterceptor.MESSAGE_ID)).version()).isEqualTo(7);
  }

  @Test
  void theyDoNotIfThatIsSwitchedOff() throws Exception {
    assertThat(logged("posthorn.mdc=false"))
        .doesNotContainKeys(MdcInterceptor.MESSAGE_ID, MdcInterceptor.TYPE, MdcInterceptor.KEY);
  }
}
