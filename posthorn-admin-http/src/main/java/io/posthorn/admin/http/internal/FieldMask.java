/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.posthorn.ConfigurationException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the values of headers and of fields of JSON by their names. A name masks such fields at
 * any depth; one with dots, or {@code $.} before it, is a path from the root, in which arrays do
 * not count. Case, hyphens and underscores make no difference. Immutable.
 */
public final class FieldMask {
  /** Stands where a value was. */
  static final String MASKED = "[masked]";

  private final Set<String> names = new HashSet<>();
  private final Set<String> paths = new HashSet<>();

  /**
   * @throws ConfigurationException if a name can't be one
   */
  public FieldMask(Collection<String> masked) {
    for (String name : masked) {
      String path = name.startsWith("$.") ? name.substring(2) : name;
      if (!path.matches("[^.\\s\\[\\]*$]+(\\.[^.\\s\\[\\]*$]+)*")) {
        throw new ConfigurationException(
            List.of(
                "the masked field \"%s\" must be a name, such as \"password\", or a path, such as \"$.customer.email\""
                    .formatted(name)));
      }
      (path.indexOf('.') >= 0 || !path.equals(name) ? paths : names).add(normal(path));
    }
  }

  boolean isEmpty() {
    return names.isEmpty() && paths.isEmpty();
  }

  Map<String, String> headers(Map<String, String> headers) {
    Map<String, String> shown = new HashMap<>(headers);
    shown.replaceAll((name, value) -> masks(name) ? MASKED : value);
    return shown;
  }

  /** Headers as they are stored, from what an editor who saw masked ones sent. */
  Map<String, String> restoredHeaders(Map<String, String> edited, Map<String, String> original) {
    Map<String, String> restored = new HashMap<>(edited);
    restored.replaceAll(
        (name, value) ->
            value.equals(MASKED) && masks(name) ? restored(original.get(name), name) : value);
    return restored;
  }

  /**
   * @throws RequestProblem if a header that is masked would be set to its mask
   */
  void refuseMasks(Map<String, String> headers) {
    headers.forEach(
        (name, value) -> {
          if (value.equals(MASKED) && masks(name)) {
            throw new RequestProblem(
                422,
                "\"%s\" was the mask \"%s\", which would be stored; give it a value, or leave it out"
                    .formatted(name, MASKED));
          }
        });
  }

  private boolean masks(String header) {
    return names.contains(normal(header));
  }

  /**
   * A payload with masked values.
   *
   * @return the same bytes if there was nothing to mask
   * @throws IOException if it is not JSON
   */
  byte[] masked(byte[] json) throws IOException {
    Copy copy = new Copy(json);
    copy.run(
        (path, parser, out) -> {
          parser.skipChildren();
          out.writeString(MASKED);
          copy.changed = true;
        });
    return copy.changed ? copy.bytes.toByteArray() : json;
  }

  /**
   * A payload as it is stored, from what an editor who saw a masked one sent.
   *
   * @throws IOException if one of them is not JSON
   * @throws RequestProblem if a masked value stands where the original has none
   */
  byte[] restored(byte[] edited, byte[] original) throws IOException {
    Map<String, String> values = new HashMap<>();
    new Copy(original)
        .run(
            (path, parser, out) -> {
              String raw = rawValue(parser);
              values.put(path, raw);
              out.writeRawValue(raw);
            });
    Copy copy = new Copy(edited);
    copy.run(
        (path, parser, out) -> {
          if (parser.currentToken() == JsonToken.VALUE_STRING && parser.getText().equals(MASKED)) {
            out.writeRawValue(restored(values.get(path), path));
            copy.changed = true;
          } else {
            copyValue(parser, out);
          }
        });
    return copy.changed ? copy.bytes.toByteArray() : edited;
  }

  private static String restored(@Nullable String original, String where) {
    if (original == null) {
      throw new RequestProblem(
          422,
          "\"%s\" was the mask \"%s\" but the original has nothing there; give it a value"
              .formatted(where, MASKED));
    }
    return original;
  }

  private static String normal(String name) {
    return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
  }

  private static String rawValue(JsonParser parser) throws IOException {
    java.io.StringWriter text = new java.io.StringWriter();
    try (JsonGenerator out = Json.factory().createGenerator(text)) {
      copyValue(parser, out);
    }
    return text.toString();
  }

  private static void copyValue(JsonParser parser, JsonGenerator out) throws IOException {
    int depth = 0;
    do {
      JsonToken token = parser.currentToken();
      copyToken(token, parser, out);
      if (token.isStructStart()) {
        depth++;
      } else if (token.isStructEnd()) {
        depth--;
      }
    } while (depth > 0 && parser.nextToken() != null);
  }

  /** Numbers keep all their digits. */
  private static void copyToken(JsonToken token, JsonParser parser, JsonGenerator out)
      throws IOException {
    if (token.isNumeric()) {
      out.writeNumber(parser.getText());
    } else {
      out.copyCurrentEvent(parser);
    }
  }

  /** What is written in the place of a masked value; leaves the parser at the end of that value. */
  private interface Replacement {
    void write(String path, JsonParser parser, JsonGenerator out) throws IOException;
  }

  /** Copies a document, except for masked values. */
  private final class Copy {
    private final byte[] json;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private boolean changed;

    Copy(byte[] json) {
      this.json = json;
    }

    void run(Replacement replacement) throws IOException {
      try (JsonParser parser = Json.factory().createParser(json);
          JsonGenerator out = Json.factory().createGenerator(bytes)) {
        parser.nextToken();
        value(parser, out, "", "", replacement);
        if (parser.nextToken() != null) {
          throw new IOException("more than one value");
        }
      }
    }

    /**
     * @param path with the indexes of arrays, so that it is that of one value
     * @param fields the names on the way
     */
    private void value(
        JsonParser parser, JsonGenerator out, String path, String fields, Replacement replacement)
        throws IOException {
      JsonToken token = parser.currentToken();
      if (token == JsonToken.START_OBJECT) {
        out.writeStartObject();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String name = parser.currentName();
          out.writeFieldName(name);
          parser.nextToken();
          String normal = normal(name);
          String inner = fields.isEmpty() ? normal : fields + "." + normal;
          String place = path.isEmpty() ? name : path + "." + name;
          if (names.contains(normal) || paths.contains(inner)) {
            replacement.write(place, parser, out);
          } else {
            value(parser, out, place, inner, replacement);
          }
        }
        out.writeEndObject();
      } else if (token == JsonToken.START_ARRAY) {
        out.writeStartArray();
        for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
          value(parser, out, path + "[" + i + "]", fields, replacement);
        }
        out.writeEndArray();
      } else if (token == null) {
        throw new IOException("no value");
      } else {
        copyToken(token, parser, out);
      }
    }
  }
}
