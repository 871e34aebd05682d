/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import static java.util.Objects.requireNonNull;

import io.posthorn.Message;
import io.posthorn.verification.history.Nature;
import java.util.Map;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** What is in a message, with the means to tell whether it arrived as it was. */
final class Contents {
  static final String NATURE = "nature";
  private static final String SUM = "sum";
  private static final String EXTRA_COUNT = "extra-count";
  private static final String EXTRA = "extra-";
  private static final String NO_PAYLOAD = "none";

  private Contents() {}

  /**
   * @param payload null: a tombstone
   * @param extraHeaders how many beside those that are needed here
   */
  static Message.Builder pack(
      String type, Nature nature, byte @Nullable [] payload, int extraHeaders) {
    Message.Builder message =
        Message.of(type)
            .payload(payload)
            .header(NATURE, nature.name())
            .header(SUM, sum(payload))
            .header(EXTRA_COUNT, Integer.toString(extraHeaders));
    for (int i = 0; i < extraHeaders; i++) {
      message.header(EXTRA + i, "value of header " + i + " = \"é\n\"");
    }
    return message;
  }

  static Nature nature(Map<String, String> headers) {
    return Nature.valueOf(requireNonNull(headers.get(NATURE), NATURE));
  }

  static boolean isIntact(byte @Nullable [] payload, Map<String, String> headers) {
    long extra = headers.keySet().stream().filter(Contents::isExtra).count();
    return sum(payload).equals(headers.get(SUM))
        && Long.toString(extra).equals(headers.get(EXTRA_COUNT));
  }

  private static boolean isExtra(String header) {
    return header.startsWith(EXTRA) && !header.equals(EXTRA_COUNT);
  }

  private static String sum(byte @Nullable [] payload) {
    if (payload == null) {
      return NO_PAYLOAD;
    }
    CRC32 sum = new CRC32();
    sum.update(payload);
    return payload.length + ":" + sum.getValue();
  }
}
