/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Takes a JDBC URL and the passwords in it out of texts that are printed. */
final class Secrets {
  private static final Pattern PASSWORD =
      Pattern.compile("[?&](?:password|sslpassword)=([^&]+)", Pattern.CASE_INSENSITIVE);
  private static final String HIDDEN = "(hidden)";

  private final List<String> hidden = new ArrayList<>();

  /**
   * @param jdbcUrl null: there is nothing to hide
   */
  Secrets(@Nullable String jdbcUrl) {
    if (jdbcUrl != null) {
      hidden.add(jdbcUrl);
      Matcher matcher = PASSWORD.matcher(jdbcUrl);
      while (matcher.find()) {
        hidden.add(matcher.group(1));
        hidden.add(decoded(matcher.group(1)));
      }
      hidden.sort(Comparator.comparingInt(String::length).reversed());
    }
  }

  private static String decoded(String value) {
    try {
      return URLDecoder.decode(value, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) { // not encoded; the driver takes it as it is
      return value;
    }
  }

  String takenOutOf(String text) {
    String clean = text;
    for (String secret : hidden) {
      clean = clean.replace(secret, HIDDEN);
    }
    return clean;
  }
}
