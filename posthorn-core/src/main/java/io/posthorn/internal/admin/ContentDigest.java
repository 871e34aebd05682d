/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the record of an action has of a content that is too long or too secret to be shown: enough
 * to tell another content by. It depends on the action, too, so that it does not show which actions
 * have the same content.
 */
final class ContentDigest {
  private static final int DIGITS = 12;

  private final MessageDigest digest;

  private ContentDigest(MessageDigest digest) {
    this.digest = digest;
  }

  static ContentDigest of(UUID action) {
    try {
      return new ContentDigest(MessageDigest.getInstance("SHA-256")).add(action.toString());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  ContentDigest add(byte @Nullable [] bytes) {
    int length = bytes == null ? -1 : bytes.length;
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(length).flip());
    if (bytes != null) {
      digest.update(bytes);
    }
    return this;
  }

  ContentDigest add(String text) {
    return add(text.getBytes(StandardCharsets.UTF_8));
  }

  /** In whatever order the map has them. */
  ContentDigest add(Map<String, String> headers) {
    new TreeMap<>(headers).forEach((name, value) -> add(name).add(value));
    return this;
  }

  /** To be called once, at the end. */
  String text() {
    return "(content %s)".formatted(HexFormat.of().formatHex(digest.digest()).substring(0, DIGITS));
  }
}
