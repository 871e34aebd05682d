/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.ConfigurationException;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

class FirstMinuteTest {
  @Test
  void anOutboxCanBeInjectedAndHandlersReceiveMessagesWithoutAnyConfiguration() throws Exception {
    try (ConfigurableApplicationContext context = Shop.run(Shop.class)) {
      context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 42));

      assertThat(context.getBean(Shop.Mailer.class).next()).isEqualTo(new Shop.Order("o-1", 42));
    }
  }

  @Test
  void aDisabledOutboxLeavesNoBeanBehind() {
    try (ConfigurableApplicationContext context =
        Shop.start(new String[] {"posthorn.enabled=false"}, Bare.class)) {
      assertThat(context.getBeanNamesForType(Posthorn.class)).isEmpty();
      assertThat(context.getBeanNamesForType(Outbox.class)).isEmpty();
      assertThat(context.getBeanDefinitionNames())
          .noneMatch(
              name -> {
                Class<?> type = context.getType(name);
                return type != null
                    && type.getName().startsWith("io.posthorn.")
                    && type != Bare.class;
              });
    }
  }

  @Test
  void withoutAHandlerTheStartFailsAndTellsWhatToDo() {
    Throwable failure = catchThrowable(() -> Shop.start(new String[0], Bare.class).close());

    assertThat(failure).hasRootCauseInstanceOf(ConfigurationException.class);
    assertThat(new ConfigurationFailureAnalyzer().analyze(failure).getAction())
        .contains("@OutboxHandler")
        .contains("posthorn.publish-only=true");
  }

  @Test
  void aProcessThatOnlyPublishesNeedsNone() {
    try (ConfigurableApplicationContext context =
        Shop.start(new String[] {"posthorn.publish-only=true"}, Bare.class)) {
      assertThat(context.getBean(Posthorn.class).status()).isEmpty();
      assertThat(context.getBean(Outbox.class)).isNotNull();
    }
  }

  @EnableAutoConfiguration
  static class Bare {}
}
