/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes and reads JSON. What is read is bounded in depth and strict: no duplicate members. */
final class Json {
  static final int MAX_DEPTH = 100;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(Integer.MAX_VALUE) // the body is bounded as a whole
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .build();

  private Json() {}

  static JsonFactory factory() {
    return FACTORY;
  }

  // --- write

  static byte[] bytes(JsonObject object) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(1_024);
    try (JsonGenerator generator = FACTORY.createGenerator(out)) {
      write(object, generator);
    } catch (IOException e) { // there is none in memory
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  static String text(JsonObject object) {
    return new String(bytes(object), StandardCharsets.UTF_8);
  }

  private static void write(Object value, JsonGenerator out) throws IOException {
    if (value instanceof JsonObject object) {
      write(object.values(), out);
    } else if (value instanceof Map<?, ?> map) {
      out.writeStartObject();
      for (Map.Entry<?, ?> member : map.entrySet()) {
        out.writeFieldName(member.getKey().toString());
        write(member.getValue(), out);
      }
      out.writeEndObject();
    } else if (value instanceof Collection<?> items) {
      out.writeStartArray();
      for (Object item : items) {
        write(item, out);
      }
      out.writeEndArray();
    } else {
      writeScalar(value, out);
    }
  }

  private static void writeScalar(Object value, JsonGenerator out) throws IOException {
    if (value instanceof Integer || value instanceof Long) {
      out.writeNumber(((Number) value).longValue());
    } else if (value instanceof Double number) {
      out.writeNumber(Double.isFinite(number) ? number : 0);
    } else if (value instanceof Boolean truth) {
      out.writeBoolean(truth);
    } else { // String, UUID, Instant, an enum
      out.writeString(value.toString());
    }
  }

  /** Durations are written as seconds. */
  static @Nullable Double seconds(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis() / 1_000.0;
  }

  /** The strings of something that is listed in this order, and has an order of its own. */
  static List<String> sorted(Collection<String> texts) {
    return texts.stream().sorted().toList();
  }

  // --- read

  /**
   * Reads the object that a request carries.
   *
   * @throws RequestProblem if it is none
   */
  static JsonInput read(byte[] body) {
    try (JsonParser parser = FACTORY.createParser(body)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw RequestProblem.badRequest("the body was no JSON object");
      }
      JsonInput object = readObject(parser, "");
      if (parser.nextToken() != null) {
        throw RequestProblem.badRequest("the body had something behind the JSON object");
      }
      return object;
    } catch (com.fasterxml.jackson.core.JacksonException e) {
      throw RequestProblem.badRequest(
          "the body was no valid JSON at line %d, column %d",
          e.getLocation() == null ? 1 : e.getLocation().getLineNr(),
          e.getLocation() == null ? 1 : e.getLocation().getColumnNr());
    } catch (IOException e) { // there is none in memory
      throw new UncheckedIOException(e);
    }
  }

  private static JsonInput readObject(JsonParser parser, String path) throws IOException {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      members.put(name, readValue(parser, path.isEmpty() ? name : path + "." + name));
    }
    return new JsonInput(path, members);
  }

  private static @Nullable Object readValue(JsonParser parser, String path) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> readObject(parser, path);
      case START_ARRAY -> {
        List<@Nullable Object> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          items.add(readValue(parser, path + "[" + items.size() + "]"));
        }
        yield items;
      }
      case VALUE_NUMBER_INT ->
          parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
              ? parser.getText()
              : (Object) parser.getLongValue();
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> parser.getText();
    };
  }
}
