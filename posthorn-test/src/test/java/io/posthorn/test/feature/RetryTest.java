/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RetryTest {
  private final Scene scene = new Scene(1);
  private final List<Delivery> deliveries = new ArrayList<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  private SteppedRelay failsOnce(Throwable failure, RetryPolicy retry) {
    return scene.relay(
        "a",
        builder ->
            builder.handler(
                HandlerSpec.of(
                        "mailer",
                        "t",
                        String.class,
                        (payload, delivery) -> {
                          deliveries.add(delivery);
                          if (deliveries.size() == 1) {
                            throwIt(failure);
                          }
                        })
                    .retry(retry)));
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void throwIt(Throwable failure) throws E {
    throw (E) failure;
  }

  private void assertDeliveredAgain(SteppedRelay relay) {
    relay.publish(message("t", "k", "1"));
    relay.drain();
    relay.pass(Duration.ofSeconds(1));

    assertThat(deliveries).hasSize(2);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aDeliveryKnowsItsAttemptAndTheLastError() {
    SteppedRelay relay = failsOnce(new IllegalStateException("no answer"), Scene.EACH_SECOND);

    assertDeliveredAgain(relay);

    Delivery first = deliveries.get(0);
    Delivery second = deliveries.get(1);
    assertThat(first.attempt()).isEqualTo(1);
    assertThat(first.isRetry()).isFalse();
    assertThat(first.lastError()).isNull();
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.isRetry()).isTrue();
    assertThat(second.lastError()).isEqualTo("java.lang.IllegalStateException: no answer");
    assertThat(second.messageId()).isEqualTo(first.messageId());
    assertThat(second.epoch()).isEqualTo(1);
    assertThat(second.createdAt()).isEqualTo(first.createdAt());
  }

  @Test
  void aWindowForOneMessageIsEnoughForARetry() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .relay(r -> r.windowMessages(1))
                    .handler(
                        "mailer",
                        "t",
                        String.class,
                        (payload, delivery) -> {
                          deliveries.add(delivery);
                          if (deliveries.size() == 1) {
                            throw new IllegalStateException("no answer");
                          }
                        }));
    relay.publish(message("t", "k", "1"), message("t", "k", "2"));
    relay.drain();
    relay.pass(Duration.ofSeconds(3));

    assertThat(relay.log().delivered()).extracting(Delivery::attempt).containsExactly(2, 1);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void anErrorIsRetriedLikeAnException() {
    assertDeliveredAgain(failsOnce(new StackOverflowError("deep"), Scene.EACH_SECOND));
  }

  @Test
  void anExceptionWithoutATextIsRetriedLikeOthers() {
    Exception mute =
        new Exception() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new IllegalStateException("not now");
          }
        };

    assertDeliveredAgain(failsOnce(mute, Scene.EACH_SECOND));
  }

  @Test
  void anExceptionWhoseTextFailsWithAnErrorIsRetriedLikeOthers() { // issue 17
    Exception mute =
        new Exception() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new NoClassDefFoundError("of what makes its message");
          }
        };

    assertDeliveredAgain(failsOnce(mute, Scene.EACH_SECOND));
  }

  @Test
  void aPolicyThatFailsIsReplacedByTheStandardOne() {
    assertDeliveredAgain(
        failsOnce(
            new Exception("no"),
            (attempts, cause) -> {
              throw new IllegalStateException("bug in the policy");
            }));
  }

  @Test
  @SuppressWarnings("NullOptional") // that is the bug in the policy
  void aPolicyThatAnswersNothingIsReplacedByTheStandardOne() {
    assertDeliveredAgain(failsOnce(new Exception("no"), (attempts, cause) -> null));
  }

  @Test
  void aPolicyThatAnswersForEverIsReplacedByTheStandardOne() {
    assertDeliveredAgain(
        failsOnce(
            new Exception("no"),
            (attempts, cause) -> Optional.of(ChronoUnit.FOREVER.getDuration())));
  }

  @Test
  void aNegativeDelayIsNoDelay() {
    SteppedRelay relay =
        failsOnce(new Exception("no"), (attempts, cause) -> Optional.of(Duration.ofSeconds(-5)));
    relay.publish(message("t", "k", "1"));

    relay.drain();

    assertThat(deliveries).hasSize(2);
  }

  @Test
  void aBrokenPayloadBecomesADeadLetterAtOnceAndTheLaneGoesOn() {
    List<Integer> numbers = new ArrayList<>();
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .codec(new NumberCodec())
                    .handler("sum", "t", Integer.class, (number, delivery) -> numbers.add(number)));
    relay.publish(message("t", "k", "1"), message("t", "k", "x"), message("t", "k", "3"));

    relay.drain();

    assertThat(numbers).containsExactly(1, 3);
    assertThat(scene.rows().dead())
        .singleElement()
        .satisfies(
            dead -> {
              assertThat(dead.attempts()).isEqualTo(1);
              assertThat(dead.error()).contains("is not a java.lang.Integer");
            });
  }

  @Test
  void aCodecThatFailsWithAnErrorDoesNotStopABatchHandler() {
    List<Integer> numbers = new ArrayList<>();
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .codec(new NumberCodec())
                    .handler(
                        HandlerSpec.batch(
                            "sum",
                            "t",
                            Integer.class,
                            10,
                            batch -> batch.items().forEach(item -> numbers.add(item.payload())))));
    relay.publish(message("t", "k", "1"), message("t", "l", "deep"), message("t", "m", "3"));

    relay.drain();

    assertThat(numbers).containsExactly(1, 3);
    StoreAssert.assertThat(scene.rows()).hasReady(0).laneIsBlocked("sum", "l");
  }

  /** Reads whole numbers. */
  private static final class NumberCodec implements PayloadCodec {
    @Override
    public String contentType() {
      return "text/plain";
    }

    @Override
    public byte[] encode(Object payload) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <T> T decode(byte[] payload, Class<T> type) {
      String text = new String(payload, java.nio.charset.StandardCharsets.UTF_8);
      if (text.equals("deep")) {
        throw new StackOverflowError("deep");
      }
      try {
        return type.cast(Integer.valueOf(text));
      } catch (NumberFormatException e) {
        throw new io.posthorn.PosthornException("not a number");
      }
    }
  }
}
