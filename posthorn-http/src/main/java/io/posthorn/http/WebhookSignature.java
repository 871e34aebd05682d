/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import io.posthorn.ConfigurationException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Signs requests as the Standard Webhooks specification says (https://www.standardwebhooks.com):
 * HMAC-SHA256 of id, time and body. While a secret is replaced, requests have a signature of each.
 */
final class WebhookSignature {
  static final String ID = "webhook-id";
  static final String TIMESTAMP = "webhook-timestamp";
  static final String SIGNATURE = "webhook-signature";

  private static final String PREFIX = "whsec_";
  private static final String ALGORITHM = "HmacSHA256";
  private static final int MIN_BYTES = 24;
  private static final int MAX_BYTES = 64;

  private WebhookSignature() {}

  /**
   * @param secrets each "whsec_" and 24 to 64 bytes in Base64
   * @throws ConfigurationException naming every problem, and no secret
   */
  static List<SecretKeySpec> keys(List<String> secrets) {
    List<SecretKeySpec> keys = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (int i = 0; i < secrets.size(); i++) {
      byte[] bytes = bytes(secrets.get(i));
      if (bytes == null || bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) {
        problems.add(
            "secret %d of the HTTP sender must be \"whsec_\" and %d to %d bytes in Base64; make one with: echo \"whsec_$(openssl rand -base64 32)\""
                .formatted(i + 1, MIN_BYTES, MAX_BYTES));
      } else {
        keys.add(new SecretKeySpec(bytes, ALGORITHM));
      }
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return List.copyOf(keys);
  }

  @SuppressWarnings("NullAway") // it does not find the annotation on an array
  private static byte @Nullable [] bytes(String secret) {
    if (!secret.startsWith(PREFIX)) {
      return null;
    }
    try {
      return Base64.getDecoder().decode(secret.substring(PREFIX.length()));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /**
   * The value of the signature header.
   *
   * @param seconds when it is sent, since 1970
   */
  static String of(String id, long seconds, byte[] body, List<SecretKeySpec> keys) {
    byte[] head = (id + "." + seconds + ".").getBytes(StandardCharsets.UTF_8);
    return keys.stream()
        .map(key -> "v1," + Base64.getEncoder().encodeToString(sign(key, head, body)))
        .collect(Collectors.joining(" "));
  }

  private static byte[] sign(SecretKeySpec key, byte[] head, byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(head);
      return mac.doFinal(body);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java runtime has " + ALGORITHM, e);
    }
  }
}
