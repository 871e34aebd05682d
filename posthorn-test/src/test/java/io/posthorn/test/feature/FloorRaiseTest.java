/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.StoreException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads of deferred rows begin behind those that are gone, however long it takes to find out. */
class FloorRaiseTest {
  private static final int PARTITIONS = 64;
  private static final int MAX_AT_ONCE = 5;

  private final Scene scene = new Scene(PARTITIONS);
  private final Set<Integer> raised = new HashSet<>();
  private final List<String> calls = new ArrayList<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  /** A store that is too slow to raise the floors of many partitions in one transaction. */
  private MessageStore slow() {
    InvocationHandler relay =
        (proxy, method, arguments) ->
            method.getName().equals("relay")
                ? slow(scene.store().relay((Duration) arguments[0]))
                : call(scene.store(), method, arguments);
    return (MessageStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {MessageStore.class}, relay);
  }

  private RelayStore slow(RelayStore store) {
    InvocationHandler raise =
        (proxy, method, arguments) -> {
          if (method.getName().equals("raiseDeferredFloors")) {
            raise((Collection<?>) arguments[1]);
          }
          Object result = call(store, method, arguments);
          if (result instanceof RelayStore.DueResult due && !due.rows().isEmpty()) {
            calls.add("rows that are due");
          }
          return result;
        };
    return (RelayStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {RelayStore.class}, raise);
  }

  private void raise(Collection<?> partitions) {
    calls.add("raise");
    if (partitions.size() > MAX_AT_ONCE) {
      throw new StoreException(StoreException.Kind.UNKNOWN, "statement timeout", null);
    }
    partitions.forEach(partition -> raised.add((Integer) partition));
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Test
  void whatTakesTooLongForAllPartitionsIsDoneInPortions() { // issue 17, C4
    SteppedRelay relay =
        scene.relay(
            "a",
            slow(),
            builder ->
                builder.handler(
                    "mailer",
                    "t",
                    String.class,
                    (payload, delivery) -> {
                      if (delivery.attempt() == 1) {
                        throw new IllegalStateException("the first time");
                      }
                    }));
    for (int i = 0; i < 3 * PARTITIONS; i++) {
      relay.publish(message("t", "k" + i, "x"));
    }

    for (int second = 0; second < 40; second++) {
      scene.clock().advance(Duration.ofSeconds(1));
      relay.drain();
    }

    assertThat(relay.log().delivered()).hasSize(3 * PARTITIONS);
    assertThat(raised)
        .containsExactlyInAnyOrderElementsOf(
            relay.log().delivered().stream()
                .map(Delivery::message)
                .map(message -> message.partition())
                .collect(toSet()));
  }

  @Test
  void whatIsDueDoesNotWaitForFloorsThatTakeTooLong() { // issue 17, 4
    SteppedRelay relay =
        scene.relay(
            "a",
            slow(),
            builder ->
                builder
                    .relay(options -> options.leaseDuration(Duration.ofMinutes(10)))
                    .handler(
                        "mailer", "t", String.class, (payload, delivery) -> calls.add(payload)));
    for (int i = 0; i < PARTITIONS; i++) {
      relay.publish(delayed("soon", "k" + i, Duration.ofSeconds(1)));
      relay.publish(delayed("later", "k" + i, Duration.ofMinutes(2)));
    }
    scene.clock().advance(Duration.ofSeconds(2));
    relay.drain();
    assertThat(calls).filteredOn("soon"::equals).hasSize(PARTITIONS); // so some rows are gone
    calls.clear();
    scene.clock().advance(Duration.ofMinutes(2));
    relay.drain();

    assertThat(calls).filteredOn("later"::equals).hasSize(PARTITIONS);
    assertThat(calls).containsSubsequence("rows that are due", "raise");
    assertThat(calls.get(0)).isEqualTo("rows that are due");
  }

  private static Message delayed(String text, String key, Duration delay) {
    return message("t", key, text).toBuilder().deliverAfter(delay).build();
  }
}
