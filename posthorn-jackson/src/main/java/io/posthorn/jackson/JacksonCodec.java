/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jackson;

import static java.util.Objects.requireNonNull;

import io.posthorn.PosthornException;
import io.posthorn.spi.PayloadCodec;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes payloads as JSON and reads them back. Safe to share between threads. Being on the class
 * path is enough: it is found by itself.
 *
 * <p>Its failures say where the JSON does not fit, never what it says: Jackson's own messages quote
 * the data.
 *
 * @since 0.1
 */
public final class JacksonCodec implements PayloadCodec {
  private final ObjectMapper mapper;

  /**
   * Takes JSON with properties that the class does not have: a publisher may be newer than its
   * consumers.
   */
  public JacksonCodec() {
    this(JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build());
  }

  /** Uses the application's own mapper. */
  public JacksonCodec(ObjectMapper mapper) {
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
    } catch (JacksonException e) {
      throw new PosthornException("no JSON can be made of it" + place(e));
    }
  }

  @Override
  public <T> T decode(byte[] payload, Class<T> type) {
    try {
      return mapper.readValue(payload, type);
    } catch (JacksonException e) {
      throw new PosthornException("the JSON does not fit" + place(e));
    }
  }

  private static String place(JacksonException e) {
    TokenStreamLocation location = e.getLocation();
    String place =
        location == null || location.getLineNr() < 1
            ? ""
            : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
    return place + " (" + e.getClass().getSimpleName() + ")";
  }
}
