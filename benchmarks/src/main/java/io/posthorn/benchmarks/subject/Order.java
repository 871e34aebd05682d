/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

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
    StringBuilder json = new StringBuilder(450).append("{\"number\":\"");
    append(json, number, 10);
    json.append("\",\"key\":\"");
    append(json, key, 4);
    return json.append("\",\"text\":\"").append(text).append("\"}").toString().getBytes(ISO_8859_1);
  }

  private static void append(StringBuilder json, long value, int digits) {
    String number = Long.toString(value);
    json.append("0".repeat(digits - number.length())).append(number);
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
