/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jackson2;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.posthorn.PosthornException;
import io.posthorn.spi.PayloadCodec;
import java.io.IOException;

/**
 * Writes payloads as JSON and reads them back, for applications that have not moved to Jackson 3.
 * Safe to share between threads. Being on the class path is enough: it is found by itself.
 *
 * <p>Its failures say where the JSON does not fit, never what it says: Jackson's own messages quote
 * the data.
 *
 * @since 0.1
 */
public final class Jackson2Codec implements PayloadCodec {
  private final ObjectMapper mapper;

  /**
   * Writes times as text, and takes JSON with properties that the class does not have: a publisher
   * may be newer than its consumers.
   */
  public Jackson2Codec() {
    this(
        JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(
                SerializationFeature.WRITE_DATES_AS_TIMESTAMPS,
                SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build());
  }

  /** Uses the application's own mapper. */
  public Jackson2Codec(ObjectMapper mapper) {
    this.mapper = requireNonNull(mapper, "mapper");
  }

  @Override
  public String contentType() {
    return "application/json";
  }

  @Override
  public byte[] encode(Object payload) {
    try {
      return mapper.writeValueAsBytes(payload);
    } catch (IOException e) {
      throw new PosthornException("no JSON can be made of it" + place(e));
    }
  }

  @Override
  public <T> T decode(byte[] payload, Class<T> type) {
    try {
      return mapper.readValue(payload, type);
    } catch (IOException e) {
      throw new PosthornException("the JSON does not fit" + place(e));
    }
  }

  private static String place(IOException e) {
    JsonLocation location = e instanceof JacksonException failure ? failure.getLocation() : null;
    String place =
        location == null || location.getLineNr() < 1
            ? ""
            : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
    return place + " (" + e.getClass().getSimpleName() + ")";
  }
}
