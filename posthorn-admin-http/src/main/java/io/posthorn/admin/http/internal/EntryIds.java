/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.Admin.EntryId;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes ids of entries as texts that need no encoding in a path: {@code 12-3456-mailer}. Other
 * characters of the handler's name than letters, digits, {@code _}, {@code .} and {@code -} are
 * written as {@code ~} and two digits for each byte.
 */
final class EntryIds {
  private static final Pattern ID =
      Pattern.compile("([0-9]{1,9})-(-?[0-9]{1,19})-((?:[A-Za-z0-9_.-]|~[0-9A-F]{2})+)");
  private static final String PLAIN = "_.-";

  private EntryIds() {}

  static String text(EntryId id) {
    StringBuilder text = new StringBuilder();
    text.append(id.partition()).append('-').append(id.seq()).append('-');
    for (byte b : id.handler().getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || PLAIN.indexOf(c) >= 0;
      if (plain) {
        text.append(c);
      } else {
        text.append('~').append(hex(c >> 4)).append(hex(c & 15));
      }
    }
    return text.toString();
  }

  /**
   * @throws RequestProblem if it is none
   */
  static EntryId parse(String text) {
    Matcher found = ID.matcher(text);
    if (found.matches()) {
      try {
        return new EntryId(
            Integer.parseInt(found.group(1)),
            Long.parseLong(found.group(2)),
            decoded(found.group(3)));
      } catch (NumberFormatException e) { // too many digits
      }
    }
    throw RequestProblem.badRequest(
        "the id of an entry was \"%s\" but must be one from an answer, such as \"12-3456-mailer\"",
        text.length() <= 100 ? text : text.substring(0, 100) + "…");
  }

  private static String decoded(String handler) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < handler.length(); i++) {
      char c = handler.charAt(i);
      if (c == '~') {
        bytes.write(Integer.parseInt(handler.substring(i + 1, i + 3), 16));
        i += 2;
      } else {
        bytes.write(c);
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static char hex(int digit) {
    return "0123456789ABCDEF".charAt(digit);
  }
}
