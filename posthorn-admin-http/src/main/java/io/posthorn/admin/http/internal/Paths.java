/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads paths and queries, strictly: what two servers could understand differently is refused, so
 * that nothing is reached by another name than its own.
 */
public final class Paths {
  private static final int MAX_LENGTH = 2_000;

  private Paths() {}

  /**
   * The segments of a path, decoded. {@code /} has one, which is empty.
   *
   * @param path empty, or with a leading slash
   * @throws RequestProblem if it can't be decoded, or leads elsewhere
   */
  public static List<String> segments(String path) {
    if (path.length() > MAX_LENGTH) {
      throw RequestProblem.badRequest(
          "the path had %d characters but may have %d", path.length(), MAX_LENGTH);
    }
    List<String> segments = new ArrayList<>();
    if (path.isEmpty()) {
      return segments;
    }
    for (String raw : path.substring(1).split("/", -1)) {
      String segment = decode(raw, false);
      boolean leadsElsewhere =
          segment.equals(".")
              || segment.equals("..")
              || segment
                  .chars()
                  .anyMatch(c -> c == '/' || c == '\\' || c == ';' || c < ' ' || c == 0x7f);
      if (leadsElsewhere) {
        throw RequestProblem.badRequest("the path has a segment that is not allowed");
      }
      segments.add(segment);
    }
    return segments;
  }

  /**
   * Decodes percent signs.
   *
   * @param plus whether a plus stands for a space, as in queries
   * @throws RequestProblem if it is not the encoding of a text in UTF-8
   */
  static String decode(String raw, boolean plus) {
    if (raw.indexOf('%') < 0 && raw.indexOf('+') < 0 && raw.chars().allMatch(c -> c < 0x80)) {
      return raw;
    }
    ByteBuffer bytes = ByteBuffer.allocate(raw.length() * 3);
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c == '%') {
        bytes.put((byte) (hex(raw, i + 1) << 4 | hex(raw, i + 2)));
        i += 2;
      } else if (c == '+' && plus) {
        bytes.put((byte) ' ');
      } else {
        bytes.put(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
      }
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
    } catch (CharacterCodingException e) {
      throw undecodable();
    }
  }

  private static int hex(String raw, int at) {
    int digit =
        at < raw.length() && raw.charAt(at) < 0x80 ? Character.digit(raw.charAt(at), 16) : -1;
    if (digit < 0) {
      throw undecodable();
    }
    return digit;
  }

  private static RequestProblem undecodable() {
    return RequestProblem.badRequest(
        "the path or query has a percent sign that encodes no text in UTF-8");
  }
}
