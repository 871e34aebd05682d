/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * An answer to a request. Immutable.
 *
 * @since 0.1
 */
public final class WebResponse {
  private final int status;
  private final Map<String, String> headers;
  private final long length;
  private final Body body;

  /** Writes what is sent. */
  @FunctionalInterface
  public interface Body {
    /**
     * Writes all of it; what was flushed is sent at once.
     *
     * @throws IOException if the client is gone
     */
    void writeTo(OutputStream out) throws IOException;
  }

  private WebResponse(int status, Map<String, String> headers, long length, Body body) {
    this.status = status;
    this.headers = Collections.unmodifiableMap(headers);
    this.length = length;
    this.body = body;
  }

  /** One without a body. */
  public static WebResponse empty(int status) {
    return new WebResponse(status, caseless(), 0, out -> {});
  }

  /** One with a body of these bytes, which are not copied. */
  public static WebResponse of(int status, String contentType, byte[] body) {
    requireNonNull(body, "body");
    return new WebResponse(status, caseless(), body.length, out -> out.write(body))
        .header("Content-Type", contentType);
  }

  /** One with a text in UTF-8. */
  public static WebResponse text(int status, String contentType, String body) {
    return of(status, contentType, body.getBytes(StandardCharsets.UTF_8));
  }

  /** One whose length is not known before it ends. */
  public static WebResponse stream(String contentType, Body body) {
    return new WebResponse(200, caseless(), -1, requireNonNull(body, "body"))
        .header("Content-Type", contentType);
  }

  /**
   * The same with a header, which replaces one of the same name.
   *
   * @throws IllegalArgumentException if the value could end the header
   */
  public WebResponse header(String name, String value) {
    if (value.chars().anyMatch(c -> (c < ' ' && c != '\t') || c == 0x7f)) {
      throw new IllegalArgumentException(
          "Header \"%s\" not set: its value had a control character".formatted(name));
    }
    Map<String, String> all = caseless();
    all.putAll(headers);
    all.put(name, value);
    return new WebResponse(status, all, length, body);
  }

  /** The same with a header, unless it has one of this name. */
  public WebResponse defaultHeader(String name, String value) {
    return headers.containsKey(name) ? this : header(name, value);
  }

  public int status() {
    return status;
  }

  /** By name, in any case. */
  public Map<String, String> headers() {
    return headers;
  }

  /** In bytes; -1 if it is not known before the body ends. */
  public long length() {
    return length;
  }

  public Body body() {
    return body;
  }

  private static Map<String, String> caseless() {
    return new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  }
}
