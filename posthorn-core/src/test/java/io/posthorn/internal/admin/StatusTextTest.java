/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.RelayStatus;
import io.posthorn.RelayStatus.Counts;
import io.posthorn.RelayStatus.HandlerStatus;
import io.posthorn.RelayStatus.Program;
import io.posthorn.RelayStatus.Throughput;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a relay tells the fleet of itself, on its way through the heartbeat table. */
class StatusTextTest {
  private static final Program PROGRAM =
      new Program("0.1.0", "shop 7 = β", Instant.parse("2026-03-04T05:06:07.123456789Z"));
  private static final Counts COUNTS = new Counts(7, 6, 5, 4, 3, 2, 1);
  private static final Map<Integer, Long> EPOCHS = Map.of(0, 7L, 3, 9L);

  private static RelayStatus status(Map<String, HandlerStatus> handlers) {
    return new RelayStatus("a", PROGRAM, true, EPOCHS, 12, 3_400, 5, 2, handlers, COUNTS);
  }

  private static HandlerStatus handler(String... unavailable) {
    return new HandlerStatus(
        true,
        true,
        2,
        Set.of(unavailable),
        12,
        new Throughput(100, 20, 12.5, 0.25, Duration.ofNanos(1_234_567)));
  }

  private static RelayStatus parsed(String text) {
    return StatusText.parse(text, "a", true, EPOCHS).orElseThrow();
  }

  @Test
  void statusComesBackAsItWas() {
    Map<String, HandlerStatus> handlers =
        Map.of(
            "mailer",
            handler(),
            "Büro = 東京\n\u0000 %\uD83D\uDCEF",
            handler("a,b", "topic one", "plus+minus%20"));

    assertThat(parsed(StatusText.of(status(handlers)))).isEqualTo(status(handlers));
  }

  @Test
  void noDatabaseCanRefuseIt() {
    String text = StatusText.of(status(Map.of("é\u0000\uD800\u0007東", handler("\u0000"))));

    assertThat(text).matches("[\\n\\x20-\\x7E]+");
  }

  @Test
  void handlersForWhichThereIsNoRoomAreLeftOut() {
    Map<String, HandlerStatus> handlers =
        IntStream.range(0, 500)
            .boxed()
            .collect(Collectors.toMap(i -> "東".repeat(90) + i, i -> handler()));

    String text = StatusText.of(status(handlers));

    assertThat(text.length()).isBetween(14_000, StatusText.MAX_LENGTH);
    RelayStatus parsed = parsed(text);
    assertThat(parsed.counts()).isEqualTo(COUNTS);
    assertThat(handlers).containsAllEntriesOf(parsed.handlers());
    assertThat(parsed.handlers()).isNotEmpty();
  }

  @Test
  void destinationsForWhichThereIsNoRoomAreLeftOut() {
    String[] many = IntStream.range(0, 10_000).mapToObj(i -> "t" + i).toArray(String[]::new);

    RelayStatus parsed = parsed(StatusText.of(status(Map.of("sender", handler(many)))));

    assertThat(parsed.handlers().get("sender"))
        .satisfies(sender -> assertThat(sender.unavailable()).hasSize(20));
  }

  @Test
  void textOfANewerVersionIsReadAsFarAsItIsKnown() {
    String text =
        "relay version=9 started=2026-03-04T05:06:07Z messages=3 mood=good\nshard a=b\nhandler name=mailer mood=bad rate=1.5";

    RelayStatus parsed = parsed(text);

    assertThat(parsed.program().version()).isEqualTo("9");
    assertThat(parsed.inMemory()).isEqualTo(3);
    Map<String, HandlerStatus> expected = new HashMap<>();
    expected.put(
        "mailer",
        new HandlerStatus(
            false, false, 0, Set.of(), 0, new Throughput(0, 0, 1.5, 0, Duration.ZERO)));
    assertThat(parsed.handlers()).isEqualTo(expected);
  }

  @Test
  void whatIsNoStatusIsNoStatus() {
    for (String text :
        new String[] {"", "x", "relay", "relay version=1 started=soon", "relay %=%"}) {
      assertThat(StatusText.parse(text, "a", true, Map.of())).as(text).isEmpty();
    }
    String bad = "relay started=2026-03-04T05:06:07Z messages=many";
    assertThat(StatusText.parse(bad, "a", true, Map.of())).isEmpty();
  }
}
