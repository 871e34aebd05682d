/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.admin.http.PayloadMasker;
import io.posthorn.spi.Envelope;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Shows payloads to those who may see them. What can't be masked as it should be is not shown at
 * all.
 */
record Payloads(FieldMask mask, @Nullable PayloadMasker masker) {
  JsonObject show(Envelope message, boolean allowed) {
    byte[] payload = message.payload();
    JsonObject json =
        new JsonObject()
            .put("bytes", message.payloadBytes())
            .put("contentType", message.contentType());
    if (!allowed) {
      return hidden(json, "the permission SEE_PAYLOADS is missing");
    }
    if (payload == null) {
      return json.put("tombstone", true).put("masked", false);
    }
    byte[] shown = payload;
    if (!mask.isEmpty()) {
      if (isJson(message.contentType())) {
        try {
          shown = mask.masked(shown);
        } catch (IOException e) {
          return hidden(json, "it is not valid JSON, so that its fields can't be masked");
        }
      } else if (masker == null) {
        return hidden(json, "it is not JSON, so that its fields can't be masked by name");
      }
    }
    if (masker != null) {
      try {
        shown = masker.mask(message, shown);
      } catch (RuntimeException e) { // its message could have some of the payload
        return hidden(json, "the PayloadMasker failed with " + e.getClass().getName());
      }
      if (shown == null) {
        return hidden(json, "the PayloadMasker does not show it");
      }
    }
    String text = text(shown);
    return (text != null
            ? json.put("text", text)
            : json.put("base64", Base64.getEncoder().encodeToString(shown)))
        .put("masked", shown != payload);
  }

  /** What is stored when somebody who was shown the original sends this back, changed. */
  byte[] restored(byte[] edited, Envelope original) {
    byte[] payload = original.payload();
    if (mask.isEmpty() || payload == null || !isJson(original.contentType())) {
      return edited;
    }
    try {
      return mask.restored(edited, payload);
    } catch (IOException e) { // with something that is not JSON, nothing was masked by name
      return edited;
    }
  }

  private static JsonObject hidden(JsonObject json, String why) {
    return json.put("hidden", why).put("masked", true);
  }

  private static boolean isJson(String contentType) {
    String type = contentType.toLowerCase(Locale.ROOT).replaceFirst("\\s*;.*", "").strip();
    return type.equals("application/json") || type.endsWith("+json");
  }

  private static @Nullable String text(byte[] payload) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
      boolean readable =
          text.chars().allMatch(c -> c >= ' ' && c != 0x7f || c == '\n' || c == '\r' || c == '\t');
      return readable ? text : null;
    } catch (CharacterCodingException e) {
      return null;
    }
  }
}
