/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin.EntryId;
import io.posthorn.spi.AdminStore.Place;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class PlacesFuzzTest {

  @Property
  void aPlaceComesBackAsItWasWritten(
      @ForAll int partition,
      @ForAll long seq,
      @ForAll("encodable") String handler,
      @ForAll long second,
      @ForAll boolean timed) {
    Instant time = timed ? Instant.ofEpochSecond(second % 100_000_000_000L) : null;
    Place place = new Place(new EntryId(partition, seq, handler), time);

    assertThat(Places.parse(Places.text(place), timed)).isEqualTo(place);
  }

  @Provide
  Arbitrary<String> encodable() {
    return Arbitraries.strings()
        .filter(text -> StandardCharsets.UTF_8.newEncoder().canEncode(text));
  }

  @Property
  void anyTextIsAPlaceOrRefused(@ForAll String cursor, @ForAll boolean timed) {
    placeOrRefusal(cursor, timed);
  }

  @Property
  void anythingThatLooksLikeACursorIsAPlaceOrRefused(
      @ForAll("nearlyCursors") String plain, @ForAll boolean timed) {
    byte[] bytes = plain.getBytes(StandardCharsets.UTF_8);
    placeOrRefusal(Base64.getUrlEncoder().encodeToString(bytes), timed);
  }

  @Provide
  Arbitrary<String> nearlyCursors() {
    Arbitrary<String> part =
        Arbitraries.oneOf(
            Arbitraries.of("-", "", "0", "-1", "99999999999999999999", "2026-01-01T00:00:00Z"),
            Arbitraries.longs().map(String::valueOf),
            Arbitraries.strings().ofMaxLength(5));
    return Combinators.combine(part, part, part, part)
        .as((a, b, c, d) -> String.join(" ", a, b, c, d));
  }

  private static void placeOrRefusal(String cursor, boolean timed) {
    try {
      Place place = Places.parse(cursor, timed);
      assertThat(place).isNotNull();
      assertThat(place.time() != null).isEqualTo(timed);
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageStartingWith("cursor was ").message().hasSizeLessThan(300);
    }
  }
}
