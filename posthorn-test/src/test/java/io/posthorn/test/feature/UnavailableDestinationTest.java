/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.Filter;
import io.posthorn.DestinationDownException;
import io.posthorn.Message;
import io.posthorn.Route;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Sender;
import io.posthorn.test.InMemorySender;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What operators see of a destination that is unavailable. Issue 18, "Must hold" 2 and 3. */
class UnavailableDestinationTest {
  /** As the sender to Kafka says it. */
  private static final String REASON =
      "not authorised to write to topic \"closed\": grant the producer's user the operation WRITE on it";

  private final Scene scene = new Scene(4);
  private final LoggedLines log = new LoggedLines();
  private final InMemorySender sender = new InMemorySender();
  private final AtomicBoolean unavailable = new AtomicBoolean(true);

  @AfterEach
  void stop() {
    scene.close();
    log.close();
  }

  private SteppedRelay relay() {
    Sender partlyDown =
        message -> {
          if (message.destination().equals("closed") && unavailable.get()) {
            throw DestinationDownException.of("closed", REASON, null);
          }
          return sender.send(message);
        };
    return scene.relay(
        "a",
        builder ->
            builder.sender("kafka", partlyDown).route(Route.type("t").to("kafka", "{header.to}")));
  }

  private static Message to(String destination, String key, String text) {
    return message("t", key, text).toBuilder().header("to", destination).build();
  }

  @Test
  void oneWarningNamesItWithTheReasonAndTheEndIsSaid() {
    SteppedRelay relay = relay();
    relay.publish(to("closed", "k", "1"), to("closed", "l", "2"), to("open", "m", "3"));
    relay.drain();
    relay.pass(Duration.ofSeconds(9));

    assertThat(log.with("is unavailable"))
        .singleElement()
        .extracting(LoggedLines.Line::text)
        .isEqualTo(
            "WARNING [a] destination \"closed\" of handler \"kafka\" is unavailable: io.posthorn.DestinationDownException: "
                + REASON
                + ". Messages to it wait with their keys, no attempt is counted; single ones are tried until one gets through. Other destinations go on");

    unavailable.set(false);
    relay.pass(Duration.ofMinutes(1));
    assertThat(log.with("is back after"))
        .singleElement()
        .extracting(LoggedLines.Line::text)
        .asString()
        .matches("INFO \\[a\\] destination \"closed\" of handler \"kafka\" is back after \\d+ s");
  }

  @Test
  void messagesThatWaitForItSayWhyAndForWhichDestination() {
    SteppedRelay relay = relay();
    relay.publish(to("closed", "k", "1"), to("closed", "l", "2"), to("open", "m", "3"));
    relay.drain();
    relay.pass(Duration.ofSeconds(9));

    List<DeferredEntry> waiting =
        relay.posthorn().admin().deferred().page(Filter.all().handler("kafka"), null, 10).items();
    assertThat(waiting).hasSize(2);
    assertThat(waiting)
        .allSatisfy(
            entry -> {
              assertThat(entry.reason()).isEqualTo(DeferReason.WAITING);
              assertThat(entry.attempts()).isZero();
              assertThat(entry.dueAt()).isNotNull();
              assertThat(entry.lastError()).contains(REASON);
            });

    unavailable.set(false);
    relay.pass(Duration.ofMinutes(1));
    assertThat(relay.posthorn().admin().deferred().page(Filter.all(), null, 10).items()).isEmpty();
    assertThat(sender.sent()).hasSize(3);
  }
}
