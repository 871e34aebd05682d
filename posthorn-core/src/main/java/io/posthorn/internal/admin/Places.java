/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import io.posthorn.Admin.EntryId;
import io.posthorn.spi.AdminStore.ActionPlace;
import io.posthorn.spi.AdminStore.Place;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Places in lists as the texts that pages return. What is in them is nobody else's business. */
final class Places {
  private static final String NO_TIME = "-";
  private static final int PARTS = 4;

  private Places() {}

  static String text(Place place) {
    EntryId id = place.id();
    Instant time = place.time();
    return encoded(
        "%d %d %s %s"
            .formatted(
                id.partition(), id.seq(), time == null ? NO_TIME : time.toString(), id.handler()));
  }

  /**
   * @param timed whether the list is one whose places have a time
   */
  static @Nullable Place parse(@Nullable String cursor, boolean timed) {
    if (cursor == null) {
      return null;
    }
    try {
      String plain = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
      String[] parts = plain.split(" ", PARTS);
      if (parts.length < PARTS || parts[2].equals(NO_TIME) == timed) {
        throw foreign(cursor);
      }
      EntryId id =
          new EntryId(Integer.parseInt(parts[0]), Long.parseLong(parts[1]), parts[PARTS - 1]);
      return new Place(id, timed ? Instant.parse(parts[2]) : null);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw foreign(cursor);
    }
  }

  static String text(ActionPlace place) {
    return encoded("%s %s".formatted(place.startedAt(), place.id()));
  }

  static @Nullable ActionPlace parseAction(@Nullable String cursor) {
    if (cursor == null) {
      return null;
    }
    try {
      String plain = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
      String[] parts = plain.split(" ", -1);
      if (parts.length != 2) {
        throw foreign(cursor);
      }
      return new ActionPlace(Instant.parse(parts[0]), UUID.fromString(parts[1]));
    } catch (IllegalArgumentException | DateTimeException e) {
      throw foreign(cursor);
    }
  }

  private static String encoded(String plain) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(plain.getBytes(StandardCharsets.UTF_8));
  }

  private static IllegalArgumentException foreign(String cursor) {
    return new IllegalArgumentException(
        "cursor was \"%s\" but must be null, or one that a page of the same list returned"
            .formatted(cursor.length() > 100 ? cursor.substring(0, 100) + "…" : cursor));
  }
}
