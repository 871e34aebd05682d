/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.AdminAction.Original;
import io.posthorn.admin.http.PayloadMasker;
import io.posthorn.spi.Envelope;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Shows payloads to those who may see them. What can't be masked as it should be is not shown at
 * all.
 */
record Payloads(FieldMask mask, @Nullable PayloadMasker masker) {
  /** Why a payload is not shown; its message has nothing of it. */
  private static final class HiddenException extends Exception {
    private static final long serialVersionUID = 1L;

    HiddenException(String why) {
      super(why);
    }
  }

  JsonObject show(Envelope message, boolean allowed) {
    JsonObject json =
        new JsonObject()
            .put("bytes", message.payloadBytes())
            .put("contentType", message.contentType());
    return show(
        json,
        message.payload(),
        allowed,
        payload -> masked(message, maskedByName(payload, isJson(message.contentType()))));
  }

  /** What an edit replaced. Of what type it was is not kept: it may be JSON. */
  JsonObject showOriginal(Original original, boolean allowed) {
    byte[] payload = original.payload();
    return show(
        new JsonObject().put("bytes", payload == null ? 0 : payload.length),
        payload,
        allowed,
        bytes -> {
          if (masker != null) {
            throw new HiddenException("the PayloadMasker can't be asked about originals");
          }
          return maskedByName(bytes, true);
        });
  }

  private interface Masking {
    byte[] mask(byte[] payload) throws HiddenException;
  }

  private static JsonObject show(
      JsonObject json, byte @Nullable [] payload, boolean allowed, Masking masking) {
    if (!allowed) {
      return json.put("hidden", "the permission SEE_PAYLOADS is missing").put("masked", true);
    }
    if (payload == null) {
      return json.put("tombstone", true).put("masked", false);
    }
    try {
      byte[] shown = masking.mask(payload);
      String text = text(shown);
      if (text != null) {
        json.put("text", text);
      } else {
        json.put("base64", Base64.getEncoder().encodeToString(shown));
      }
      return json.put("masked", shown != payload);
    } catch (HiddenException e) {
      return json.put("hidden", e.getMessage()).put("masked", true);
    }
  }

  private byte[] maskedByName(byte[] payload, boolean json) throws HiddenException {
    if (mask.isEmpty()) {
      return payload;
    }
    if (!json) {
      if (masker != null) {
        return payload; // it will decide
      }
      throw new HiddenException("it is not JSON, so that its fields can't be masked by name");
    }
    try {
      return mask.masked(payload);
    } catch (IOException e) {
      throw new HiddenException("it is not valid JSON, so that its fields can't be masked");
    }
  }

  private byte[] masked(Envelope message, byte[] payload) throws HiddenException {
    if (masker == null) {
      return payload;
    }
    byte[] shown;
    try {
      shown = masker.mask(message, payload);
    } catch (RuntimeException e) { // its message could have some of the payload
      throw new HiddenException("the PayloadMasker failed with " + e.getClass().getName());
    }
    if (shown == null) {
      throw new HiddenException("the PayloadMasker does not show it");
    }
    return shown;
  }

  /**
   * What is stored when somebody who was shown the original sends this back, changed.
   *
   * @throws RequestProblem if the masker hid some of it: nobody knows where, so that what is sent
   *     back would be stored with the mask
   */
  byte[] restored(byte[] edited, Envelope original) {
    byte[] payload = original.payload();
    if (payload != null && masker != null && isPartlyHidden(original, payload)) {
      throw new RequestProblem(
          422, "the payload is partly hidden by the PayloadMasker; it can't be edited here");
    }
    if (mask.isEmpty() || payload == null || !isJson(original.contentType())) {
      return edited;
    }
    try {
      return mask.restored(edited, payload);
    } catch (IOException e) { // with something that is not JSON, nothing was masked by name
      return edited;
    }
  }

  private boolean isPartlyHidden(Envelope message, byte[] payload) {
    try {
      byte[] named = maskedByName(payload, isJson(message.contentType()));
      return !Arrays.equals(named, masked(message, named.clone()));
    } catch (HiddenException e) {
      return true;
    }
  }

  private static boolean isJson(String contentType) {
    String type = contentType.toLowerCase(Locale.ROOT).replaceFirst("\\s*;.*", "").strip();
    return type.equals("application/json") || type.endsWith("+json");
  }

  private static @Nullable String text(byte[] payload) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
      boolean readable =
          text.chars()
              .allMatch(c -> (c >= ' ' && c != 0x7f) || c == '\n' || c == '\r' || c == '\t');
      return readable ? text : null;
    } catch (CharacterCodingException e) {
      return null;
    }
  }
}
