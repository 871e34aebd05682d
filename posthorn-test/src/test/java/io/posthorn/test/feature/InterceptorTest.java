/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Batch;
import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.DeliveryInterceptor;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InterceptorTest {
  private final Scene scene = new Scene(1);
  private final List<String> calls = new ArrayList<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  /** Notes its calls; may throw in one of them. */
  private class Noting implements DeliveryInterceptor {
    private final String name;
    private @Nullable Throwable beforeThrows;
    private @Nullable Throwable afterThrows;

    Noting(String name) {
      this.name = name;
    }

    @Override
    public void before(Delivery delivery) throws Exception {
      calls.add(name + " before " + payload(delivery));
      Throwable failure = beforeThrows;
      if (failure != null && "1".equals(payload(delivery)) && !delivery.isRetry()) {
        raise(failure);
      }
    }

    @Override
    public void after(Delivery delivery, @Nullable Throwable failure) {
      calls.add(
          name
              + " after "
              + payload(delivery)
              + (failure == null ? "" : " " + failure.getMessage()));
      if (afterThrows instanceof RuntimeException e) {
        throw e;
      }
      if (afterThrows instanceof Error e) {
        throw e;
      }
    }
  }

  private static void raise(Throwable failure) throws Exception {
    if (failure instanceof Error error) {
      throw error;
    }
    throw (Exception) failure;
  }

  private static String payload(Delivery delivery) {
    byte[] payload = delivery.message().envelope().payload();
    return payload == null ? "-" : new String(payload, java.nio.charset.StandardCharsets.UTF_8);
  }

  private Consumer<Posthorn.Builder> handling(DeliveryInterceptor... interceptors) {
    return builder -> {
      builder.handler(
          "h",
          "t",
          String.class,
          (text, delivery) -> {
            calls.add("handle " + text);
            if ("bad".equals(text)) {
              throw new IllegalStateException("handler");
            }
          });
      List.of(interceptors).forEach(builder::interceptor);
    };
  }

  @Test
  void beforeComesInOrderAndAfterInReverseOrder() {
    SteppedRelay relay = scene.relay("r", handling(new Noting("a"), new Noting("b")));
    relay.publish(message("t", "k", "1"));
    relay.drain();

    assertThat(calls)
        .containsExactly("a before 1", "b before 1", "handle 1", "b after 1", "a after 1");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void afterGetsTheFailureOfTheHandler() {
    SteppedRelay relay = scene.relay("r", handling(new Noting("a")));
    relay.publish(message("t", "k", "bad"));
    relay.drain();

    assertThat(calls).containsExactly("a before bad", "handle bad", "a after bad handler");
    StoreAssert.assertThat(scene.rows()).laneIsBlocked("h", "k");
  }

  @Test
  void aThrowingBeforeFailsTheDeliveryAndThoseThatRanGetTheirAfter() {
    Noting b = new Noting("b");
    b.beforeThrows = new java.io.IOException("not now");
    SteppedRelay relay = scene.relay("r", handling(new Noting("a"), b, new Noting("c")));
    relay.publish(message("t", "k", "1"));
    relay.drain();

    assertThat(calls).containsExactly("a before 1", "b before 1", "a after 1 not now");
    assertThat(scene.rows().deferred())
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.attempts()).isEqualTo(1);
              assertThat(row.error()).isEqualTo("java.io.IOException: not now");
            });

    relay.pass(Duration.ofSeconds(1));
    assertThat(calls).contains("handle 1");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void anErrorInBeforeIsNoOtherThanAnException() {
    Noting a = new Noting("a");
    a.beforeThrows = new NoClassDefFoundError("mdc");
    SteppedRelay relay = scene.relay("r", handling(a));
    relay.publish(message("t", "k", "1"));
    relay.drain();
    relay.pass(Duration.ofSeconds(1));

    assertThat(calls).containsExactly("a before 1", "a before 1", "handle 1", "a after 1");
  }

  @Test
  void aThrowingAfterChangesNothingAndTheOthersAreCalled() {
    Noting b = new Noting("b");
    b.afterThrows = new IllegalStateException("after");
    Noting c = new Noting("c");
    c.afterThrows = new NoClassDefFoundError("after");
    SteppedRelay relay = scene.relay("r", handling(new Noting("a"), b, c));
    relay.publish(message("t", "k", "1"));
    relay.drain();

    assertThat(calls).endsWith("handle 1", "c after 1", "b after 1", "a after 1");
    assertThat(relay.log().delivered()).hasSize(1);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aThrowingAfterDoesNotHideTheFailureOfTheHandler() {
    Noting a = new Noting("a");
    a.afterThrows = new IllegalStateException("after");
    SteppedRelay relay = scene.relay("r", handling(a));
    relay.publish(message("t", "k", "bad"));
    relay.drain();

    assertThat(scene.rows().deferred())
        .extracting(row -> row.error())
        .containsExactly("java.lang.IllegalStateException: handler");
  }

  @Test
  void aPayloadThatCannotBeDecodedReachesNoInterceptor() {
    SteppedRelay relay =
        scene.relay(
            "r",
            builder ->
                builder
                    .handler("h", "t", Integer.class, (number, delivery) -> calls.add("handle"))
                    .interceptor(new Noting("a")));
    relay.publish(message("t", "k", "x"));
    relay.drain();

    assertThat(calls).isEmpty();
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(1);
  }

  // --- batches

  private Consumer<Posthorn.Builder> batches(DeliveryInterceptor... interceptors) {
    return builder -> {
      builder.handler(HandlerSpec.batch("h", "t", String.class, 10, this::handleBatch));
      List.of(interceptors).forEach(builder::interceptor);
    };
  }

  private void handleBatch(Batch<String> batch) {
    calls.add("handle " + batch.items().stream().map(Batch.Item::payload).toList());
    batch.items().stream()
        .filter(item -> "bad".equals(item.payload()))
        .forEach(item -> batch.fail(item, new IllegalStateException("item")));
  }

  @Test
  void eachItemOfABatchIsInterceptedOnItsOwnAndTheLastOneEndsFirst() {
    SteppedRelay relay = scene.relay("r", batches(new Noting("a"), new Noting("b")));
    relay.publish(message("t", "k", "1"), message("t", "l", "bad"));
    relay.drain();

    assertThat(calls)
        .containsExactly(
            "a before 1",
            "b before 1",
            "a before bad",
            "b before bad",
            "handle [1, bad]",
            "b after bad item",
            "a after bad item",
            "b after 1",
            "a after 1");
  }

  @Test
  void anItemWhoseBeforeThrowsFailsAloneWithThoseBehindItInItsLane() {
    Noting b = new Noting("b");
    b.beforeThrows = new java.io.IOException("not now");
    SteppedRelay relay = scene.relay("r", batches(new Noting("a"), b));
    relay.publish(message("t", "k", "1"), message("t", "k", "2"), message("t", "l", "3"));
    relay.drain();

    assertThat(calls)
        .containsExactly(
            "a before 1",
            "b before 1",
            "a after 1 not now",
            "a before 3",
            "b before 3",
            "handle [3]",
            "b after 3",
            "a after 3");
    assertThat(scene.rows().deferred()).extracting(row -> row.attempts()).containsExactly(1, 0);

    relay.pass(Duration.ofSeconds(1));
    assertThat(calls).contains("handle [1, 2]");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void thoseBehindAnItemThatIsGivenUpAreNotTakenForDelivered() {
    Noting a = new Noting("a");
    a.beforeThrows = new java.io.IOException("never");
    SteppedRelay relay =
        scene.relay("r", batches(a).andThen(b -> b.relay(r -> r.retry(RetryPolicy.none()))));
    relay.publish(message("t", "k", "1"), message("t", "k", "2"));
    relay.drain();

    assertThat(calls).contains("handle [2]").doesNotContain("handle [1, 2]");
    StoreAssert.assertThat(scene.rows()).hasReady(0).hasDeadLetters(1).laneIsFree("h", "k");
  }
}
