/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the log says of handlers that fail. Issue 18, "Must hold" 8; first-hour.md, 3 and 7. */
class LoggedFailuresTest {
  private final Scene scene = new Scene(4);
  private final LoggedLines log = new LoggedLines();

  @AfterEach
  void stop() {
    scene.close();
    log.close();
  }

  private SteppedRelay relay(RetryPolicy retry) {
    return scene.relay(
        "a",
        builder ->
            builder.handler(
                HandlerSpec.of(
                        "mailer",
                        "t",
                        String.class,
                        (text, delivery) -> {
                          if (text.equals("io")) {
                            throw new IOException("no answer");
                          }
                          throw new IllegalStateException("broken");
                        })
                    .retry(retry)));
  }

  @Test
  void theFirstFailureOfEachExceptionClassHasItsStackTrace() {
    SteppedRelay relay = relay(Scene.EACH_SECOND);
    relay.publish(message("t", "k", "x"), message("t", "l", "x"), message("t", "m", "io"));
    relay.drain();
    relay.pass(Duration.ofSeconds(3));

    assertThat(log.with("handler \"mailer\" failed"))
        .hasSize(2)
        .allMatch(line -> line.text().startsWith("WARNING [a] "))
        .allMatch(line -> line.text().contains("attempt 1; it is tried again in PT1S"))
        .extracting(line -> line.thrown().getClass().getSimpleName())
        .containsExactlyInAnyOrder("IllegalStateException", "IOException");
  }

  @Test
  void afterAMinuteItIsSaidAgainWithHowMany() {
    SteppedRelay relay =
        relay(RetryPolicy.exponential(Duration.ofSeconds(10), Duration.ofSeconds(10), 50));
    relay.publish(message("t", "k", "x"));
    relay.drain();
    relay.pass(Duration.ofSeconds(65));

    assertThat(log.with("handler \"mailer\" failed")).hasSize(2);
    assertThat(log.with("(and 5 more since the last report)"))
        .singleElement()
        .matches(line -> line.thrown() instanceof IllegalStateException);
  }

  @Test
  void theDeadLetterHasTheStackTraceToo() {
    SteppedRelay relay =
        relay(RetryPolicy.exponential(Duration.ofSeconds(1), Duration.ofSeconds(1), 2));
    relay.publish(message("t", "k", "x"));
    relay.drain();
    relay.pass(Duration.ofSeconds(2));

    assertThat(log.with("is a dead letter of handler \"mailer\" after 2 attempts"))
        .singleElement()
        .matches(line -> line.text().startsWith("SEVERE [a] "))
        .matches(line -> line.thrown() instanceof IllegalStateException);
  }

  @Test
  void theFirstDeadLetterOfEachExceptionClassHasItsStackTrace() {
    SteppedRelay relay = relay(RetryPolicy.none());
    relay.publish(message("t", "k", "x"), message("t", "l", "x"), message("t", "m", "io"));
    relay.drain();

    assertThat(log.with("is a dead letter of handler \"mailer\" after 1 attempts"))
        .hasSize(2)
        .extracting(line -> line.thrown().getClass().getSimpleName())
        .containsExactlyInAnyOrder("IllegalStateException", "IOException");
  }

  @Test
  void aRelayThatWaitsForTheLeaseOfAnotherSaysForHowLong() {
    SteppedRelay killed = relay(Scene.EACH_SECOND);
    killed.drain();
    SteppedRelay next =
        scene.relay(
            "b", builder -> builder.handler("h", "t", String.class, (text, delivery) -> {}));
    next.drain();
    next.pass(Duration.ofSeconds(9)); // the other does nothing any more

    assertThat(log.with("[b] holds 0 of 4 partitions and waits for more: 4 belong to \"a#"))
        .isNotEmpty()
        .first()
        .matches(line -> line.text().matches(".*the next one in 2\\d s"));
    next.pass(Duration.ofSeconds(25));
    assertThat(log.with("[b] took 4 partitions")).hasSize(1);
  }
}
