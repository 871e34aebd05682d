/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeTextTest {
  private final TimeText times = new TimeText();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1970-01-01T00:00:00Z",
        "1969-12-31T23:59:59.999999999Z",
        "2026-11-16T11:46:08Z",
        "2026-11-16T11:46:08.100Z",
        "2026-11-16T11:46:08.001Z",
        "2026-11-16T11:46:08.000001Z",
        "2026-11-16T11:46:08.123450Z",
        "2026-11-16T11:46:08.000000001Z",
        "-0044-03-15T12:00:00.010Z",
        "+12026-11-16T11:46:08.000500Z"
      })
  void writesWhatInstantWrites(String text) {
    Instant time = Instant.parse(text);
    assertThat(times.of(time)).isEqualTo(time.toString());
  }

  static Stream<Instant> someTimes() {
    Random random = new Random(7);
    return IntStream.range(0, 200)
        .mapToObj(
            i -> Instant.ofEpochSecond(1_794_000_000L + i / 3, random.nextInt(1_000_000_000)));
  }

  @ParameterizedTest
  @MethodSource("someTimes")
  void writesTheNextSecondToo(Instant time) {
    times.of(time.minusSeconds(1));
    assertThat(times.of(time)).isEqualTo(time.toString());
    assertThat(times.of(time.plusMillis(1))).isEqualTo(time.plusMillis(1).toString());
  }
}
