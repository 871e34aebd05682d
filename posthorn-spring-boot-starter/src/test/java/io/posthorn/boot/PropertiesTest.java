/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.ConfigurationException;
import io.posthorn.HandlerSpec;
import io.posthorn.PublishOptions;
import io.posthorn.RelayOptions;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.jdbc.JdbcMessageStore;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class PropertiesTest {
  /** Shows the options that an outbox is built with. */
  @Configuration(proxyBeanMethods = false)
  static class Shown {
    final AtomicReference<RelayOptions> relay = new AtomicReference<>();
    final AtomicReference<PublishOptions> publish = new AtomicReference<>();

    @Bean
    PosthornCustomizer shownOptions() {
      return (outbox, builder) -> builder.relay(relay::set).publish(publish::set);
    }
  }

  private static String failureOf(String... properties) {
    Throwable failure = catchThrowable(() -> Shop.run(Shop.class, properties).close());
    assertThat(failure).isNotNull();
    StringBuilder messages = new StringBuilder();
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      messages.append(cause.getMessage()).append('\n');
    }
    return messages.toString();
  }

  private static Set<String> settersOf(Class<?> options) {
    return Arrays.stream(options.getMethods())
        .filter(method -> method.getReturnType() == options && method.getParameterCount() > 0)
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .map(java.lang.reflect.Method::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> propertiesOf(Class<?> properties) {
    return Arrays.stream(properties.getRecordComponents())
        .map(RecordComponent::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** What the builders can do beyond this is given as beans, or has other names. */
  @Test
  void everythingInTheBuildersCanBeSet() {
    Set<String> relay = settersOf(RelayOptions.class);
    relay.removeAll(Set.of("executor", "retry", "windowBytes"));
    Set<String> publish = settersOf(PublishOptions.class);
    publish.remove("maxPayloadBytes");
    Set<String> store = settersOf(JdbcMessageStore.Builder.class);
    store.removeAll(Set.of("relayDataSource", "relayConnections", "dialect", "table"));

    Set<String> inbox = settersOf(InboxTable.Builder.class);
    inbox.remove("dialect");

    assertThat(propertiesOf(PosthornProperties.Inbox.class)).containsAll(inbox);
    assertThat(propertiesOf(PosthornProperties.Relay.class)).containsAll(relay);
    assertThat(propertiesOf(PosthornProperties.Publish.class)).containsAll(publish);
    assertThat(propertiesOf(PosthornProperties.Store.class)).containsAll(store);
  }

  @Test
  void settingsReachTheOutbox() {
    try (ConfigurableApplicationContext context =
        Shop.run(
            Shown.class,
            "posthorn.relay.name=eve",
            "posthorn.relay.lease-duration=20s",
            "posthorn.relay.window-size=2MB",
            "posthorn.relay.workers=3",
            "posthorn.publish.max-payload=10KB")) {
      Shown shown = context.getBean(Shown.class);

      assertThat(shown.relay.get().name()).isEqualTo("eve");
      assertThat(shown.relay.get().leaseDuration()).isEqualTo(Duration.ofSeconds(20));
      assertThat(shown.relay.get().windowBytes()).isEqualTo(2L << 20);
      assertThat(shown.relay.get().workers()).isEqualTo(3);
      assertThat(shown.publish.get().maxPayloadBytes()).isEqualTo(10 << 10);
    }
  }

  @Test
  void whatIsNotSetHasTheDefaultsOfTheBuilder() {
    try (ConfigurableApplicationContext context = Shop.run(Shown.class)) {
      Shown shown = context.getBean(Shown.class);

      assertThat(shown.relay.get().leaseDuration()).isEqualTo(Duration.ofSeconds(30));
      assertThat(shown.relay.get().workers()).isEqualTo(16);
      assertThat(shown.relay.get().virtualThreads()).isFalse();
      assertThat(shown.publish.get().maxPayloadBytes()).isEqualTo(1 << 20);
    }
  }

  private static PosthornProperties.Retry retry(
      Integer attempts, Duration delay, Double multiplier) {
    return new PosthornProperties.Retry(
        attempts, delay, multiplier, null, null, null, java.util.List.of(), java.util.List.of());
  }

  @Test
  void aHandlersRetryTakesWhatItDoesNotSetFromTheOneOfAll() {
    PosthornProperties.Handler handler =
        new PosthornProperties.Handler(
            null, null, null, null, retry(null, Duration.ofSeconds(3), null));
    HandlerSpec<String> spec =
        HandlerSpec.of("mailer", "t", String.class, (payload, delivery) -> {});

    HandlerSpec<String> configured = handler.applyTo(spec, retry(4, Duration.ofSeconds(1), 1.0));

    assertThat(configured.retry())
        .hasValueSatisfying(
            policy -> {
              assertThat(policy.delayAfter(1, new RuntimeException()))
                  .contains(Duration.ofSeconds(3));
              assertThat(policy.delayAfter(3, new RuntimeException()))
                  .contains(Duration.ofSeconds(3));
              assertThat(policy.delayAfter(4, new RuntimeException())).isEmpty();
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          posthorn.relay.lease-duration=30 sec   | posthorn.relay.lease-duration
          posthorn.relay.leese-duration=30s      | leese-duration
          posthorn.relay.workers=many            | posthorn.relay.workers
          posthorn.handlers.mailor.concurrency=2 | there is no handler "mailor"; the handlers are [mailer]
          posthorn.handlers.mailer.concurrency=0 | concurrency
          posthorn.retry.max-attempts=0          | posthorn.retry: retry was exponential(PT0.2S, 2.0, PT1M, 0) but needs
          posthorn.store.table-prefix=a-b        | prefix
          """)
  void mistakesAreToldByName(String property, String told) {
    assertThat(failureOf(property)).contains(told);
  }

  @Test
  void settingsThatDoNotFitAreToldTogether() {
    assertThat(failureOf("posthorn.relay.heartbeat-interval=20s", "posthorn.relay.workers=-1"))
        .contains("2 problems")
        .contains("heartbeat")
        .contains("workers");
  }

  @Test
  void developmentEnvironmentsFindAllProperties() throws IOException {
    StringBuilder all = new StringBuilder(); // there is one for the examples among the tests, too
    for (URL file :
        Collections.list(
            getClass()
                .getClassLoader()
                .getResources("META-INF/spring-configuration-metadata.json"))) {
      try (InputStream in = file.openStream()) {
        all.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      }
    }
    String metadata = all.toString();

    for (Map.Entry<String, Class<?>> group :
        Map.<String, Class<?>>of(
                "relay", PosthornProperties.Relay.class,
                "publish", PosthornProperties.Publish.class,
                "store", PosthornProperties.Store.class,
                "retry", PosthornProperties.Retry.class,
                "events", PosthornProperties.Events.class,
                "inbox", PosthornProperties.Inbox.class)
            .entrySet()) {
      for (String name : propertiesOf(group.getValue())) {
        String dashed = name.replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT);
        assertThat(metadata).contains("\"posthorn.%s.%s\"".formatted(group.getKey(), dashed));
      }
    }
    assertThat(metadata).contains("how long a heartbeat is good for");
  }

  @Test
  void aMistakeIsAConfigurationException() {
    assertThat(catchThrowable(() -> Shop.run(Shop.class, "posthorn.relay.workers=-1").close()))
        .hasRootCauseInstanceOf(ConfigurationException.class);
  }
}
