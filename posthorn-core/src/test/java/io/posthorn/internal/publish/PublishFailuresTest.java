/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.RecordingLogger;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.PublishHook;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PublishFailuresTest {
  private final AtomicLong nanos = new AtomicLong();
  private final RecordingLogger logger = new RecordingLogger();
  private final FailureLog failures = new FailureLog(logger, "a", nanos::get);
  private final Message message = Message.of("t").payload("secret").build();

  /** Once a second for a bit more than a minute. */
  private void repeat(Runnable action) {
    for (int i = 0; i <= 61; i++) {
      action.run();
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    }
  }

  @Test
  void aContextProviderThatKeepsFailingIsSaidOnceAMinute() {
    Contexts contexts =
        new Contexts(
            List.of(
                any -> {
                  throw new IllegalStateException("no context");
                }),
            failures);

    repeat(() -> assertThat(contexts.enrich(message).headers()).isEmpty());

    assertThat(logger.lines())
        .hasSize(2)
        .allMatch(line -> line.startsWith("WARNING [a] ") && line.contains("context provider"))
        .allMatch(line -> line.contains("no context") && !line.contains("secret"));
  }

  @Test
  void headersThatCannotBeStoredAreSaidWithTheReason() {
    Contexts contexts = new Contexts(List.of(any -> Map.of(" ", "v")), failures);

    contexts.enrich(message);

    assertThat(logger.lines())
        .singleElement()
        .asString()
        .contains("headers left out: a header name is blank");
  }

  @Test
  void aHookThatKeepsFailingAfterwardsIsSaidOnceAMinute() {
    Envelope envelope =
        new Envelope(
            new UUID(1, 2),
            "t",
            null,
            null,
            null,
            Map.of(),
            "text/plain",
            null,
            Instant.EPOCH,
            null);
    Hooks hooks =
        new Hooks(
            List.of(
                new PublishHook() {
                  @Override
                  public void afterCommit(List<Envelope> messages) {
                    throw new IllegalStateException("no listener");
                  }
                }),
            failures);

    repeat(() -> hooks.committed(List.of(envelope)));

    assertThat(logger.lines())
        .hasSize(2)
        .allMatch(line -> line.startsWith("WARNING [a] ") && line.contains("publish hook"));
  }
}
