/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Locale;

/**
 * What every message of a benchmark says. Its JSON has 450 bytes, and its number stands where it
 * can be read without parsing.
 *
 * @param number counts the messages of a run; within a key it grows with the order of commits
 */
public record Order(long number, int key, String text) {
  public static final int KEYS = 1_000;
  private static final String TEXT = "x".repeat(404);
  private static final int NUMBER_AT = "{\"number\":\"".length();
  private static final int KEY_AT = "{\"number\":\"0123456789\",\"key\":\"".length();

  public static Order of(long number, int key) {
    return new Order(number, key, TEXT);
  }

  public String keyText() {
    return "customer-" + key;
  }

  public byte[] json() {
    return String.format(
            Locale.ROOT,
            "{\"number\":\"%010d\",\"key\":\"%04d\",\"text\":\"%s\"}",
            number,
            key,
            text)
        .getBytes(ISO_8859_1);
  }

  /** Reads number and key; what follows is left as it is. */
  public static Order parse(byte[] json) {
    return new Order(digits(json, NUMBER_AT, 10), (int) digits(json, KEY_AT, 4), "");
  }

  private static long digits(byte[] json, int from, int count) {
    long value = 0;
    for (int i = from; i < from + count; i++) {
      value = value * 10 + json[i] - '0';
    }
    return value;
  }
}
