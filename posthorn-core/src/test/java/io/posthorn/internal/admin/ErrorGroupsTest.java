/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin.DeadLetter;
import io.posthorn.DeadLetters.Group;
import io.posthorn.DeadLetters.Groups;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorGroupsTest {
  private static final Instant NOON = Instant.parse("2026-11-19T12:00:00Z");

  private static DeadLetter letter(long seq, String handler, String error, int minutes) {
    Envelope envelope =
        new Envelope(
            new UUID(0, seq), "t", null, null, null, Map.of(), "text/plain", null, NOON, null);
    Instant diedAt = NOON.plus(Duration.ofMinutes(minutes));
    return new DeadLetter(
        new StoredMessage(0, seq, envelope, NOON, null), handler, 1, error, diedAt);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      textBlock =
          """
          no route to host                                    | no route to host
          order 4711 not found                                | order # not found
          timeout after 30s                                   | timeout after #s
          id 0198c0de-0000-7000-8000-000000000017 is taken    | id # is taken
          object deadbeef01 at 10.0.0.17:5432                 | object # at #.#.#.#:#
          a bad cafe facade                                   | a bad cafe facade
          no column "größe" in 'orders'                       | no column "…" in "…"
          can't parse                                         | can't parse
          """)
  void whatDiffersFromMessageToMessageIsLeftOut(String error, String inCommon) {
    assertThat(ErrorGroups.inCommon(error)).isEqualTo(inCommon);
  }

  @Test
  void onlyTheFirstLineCountsAndNotAllOfALongOne() {
    assertThat(ErrorGroups.inCommon("refused\n\tat X.java:17")).isEqualTo("refused");
    assertThat(ErrorGroups.inCommon("")).isEmpty();
    assertThat(ErrorGroups.inCommon("x".repeat(10_000))).hasSize(300);
  }

  @Test
  void aLongErrorOfDigitsAndDashesTakesNoTime() {
    String hostile = "a-".repeat(150) + "!";
    long start = System.nanoTime();
    for (int i = 0; i < 1_000; i++) {
      ErrorGroups.inCommon(hostile);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void theLargestGroupComesFirstWithItsNewestExample() {
    List<DeadLetter> latest =
        List.of(
            letter(5, "mailer", "timeout after 3 s", 1),
            letter(4, "audit", "timeout after 3 s", 2),
            letter(3, "mailer", "timeout after 2 s", 9),
            letter(2, "mailer", "refused", 3),
            letter(1, "mailer", "timeout after 1 s", 4));

    Groups groups = ErrorGroups.of(latest, 5);

    assertThat(groups.complete()).isTrue();
    assertThat(groups.examined()).isEqualTo(5);
    assertThat(groups.groups())
        .containsExactly(
            new Group("mailer", "timeout after # s", 3, latest.get(2)),
            new Group("audit", "timeout after # s", 1, latest.get(1)),
            new Group("mailer", "refused", 1, latest.get(3)));
  }

  @Test
  void moreThanTheLimitIsNotComplete() {
    List<DeadLetter> latest = List.of(letter(2, "a", "x", 1), letter(1, "a", "x", 1));

    Groups groups = ErrorGroups.of(latest, 1);

    assertThat(groups.complete()).isFalse();
    assertThat(groups.examined()).isEqualTo(1);
    assertThat(groups.groups()).extracting(Group::letters).containsExactly(1);
  }
}
