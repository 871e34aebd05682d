/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import io.posthorn.spi.Outgoing;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Headers of messages as HTTP takes them. HTTP headers have no characters beyond ASCII, no line
 * breaks, and names without case; what does not fit is percent-encoded as UTF-8, as the CloudEvents
 * binding of HTTP does it.
 */
final class HeaderText {
  /** Those of the connection and the body, which are the client's, and of the signature. */
  private static final Set<String> RESERVED =
      Set.of(
          "connection",
          "content-encoding",
          "content-length",
          "content-type",
          "expect",
          "host",
          "http2-settings",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          WebhookSignature.ID,
          WebhookSignature.TIMESTAMP,
          WebhookSignature.SIGNATURE);

  private static final String NAME_CHARS = "!#$%&'*+-.^_`|~";
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private HeaderText() {}

  /** The headers of a message under valid names, with valid values. Reserved ones are left out. */
  static Map<String, String> of(Outgoing message) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    message
        .headers()
        .forEach(
            (name, value) -> {
              String encoded = name(name);
              if (!encoded.isEmpty() && !isReserved(encoded)) {
                headers.put(encoded, value(encoded, value));
              }
            });
    return headers;
  }

  static boolean isReserved(String name) {
    return RESERVED.contains(name.toLowerCase(Locale.ROOT));
  }

  /** Whether a name can be sent as it is. */
  static boolean isName(String name) {
    return !name.isEmpty() && name(name).equals(name);
  }

  private static String name(String name) {
    StringBuilder encoded = new StringBuilder(name.length());
    for (byte octet : name.getBytes(StandardCharsets.UTF_8)) {
      boolean token =
          (octet >= 'a' && octet <= 'z')
              || (octet >= 'A' && octet <= 'Z')
              || (octet >= '0' && octet <= '9')
              || NAME_CHARS.indexOf(octet) >= 0;
      append(encoded, octet, token);
    }
    return encoded.toString();
  }

  /**
   * Values of Posthorn and of CloudEvents can always be decoded. Others, such as {@code baggage},
   * may have percent signs of their own, and are sent as they are if they can be.
   */
  private static String value(String name, String value) {
    String lower = name.toLowerCase(Locale.ROOT);
    boolean ownMeaning = !lower.startsWith("posthorn-") && !lower.startsWith("ce-");
    return ownMeaning && isValid(value) ? value : encode(value);
  }

  /** Whether a value can be sent as it is. */
  static boolean isValid(String value) {
    return value.equals(value.strip()) && value.chars().allMatch(c -> c >= ' ' && c <= '~');
  }

  private static String encode(String value) {
    StringBuilder encoded = new StringBuilder(value.length());
    for (byte octet : value.getBytes(StandardCharsets.UTF_8)) {
      append(encoded, octet, octet > ' ' && octet <= '~' && octet != '"' && octet != '%');
    }
    return encoded.toString();
  }

  private static void append(StringBuilder text, byte octet, boolean asItIs) {
    if (asItIs) {
      text.append((char) octet);
    } else {
      text.append('%').append(HEX[(octet >> 4) & 15]).append(HEX[octet & 15]);
    }
  }
}
