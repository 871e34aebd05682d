/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import io.posthorn.admin.http.WebRequest;
import io.posthorn.admin.http.WebResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** A file of the page, kept in memory as it is and compressed. */
final class PageFile {
  /** No percent signs, no backslashes, and no segment that begins with a dot. */
  private static final Pattern NAME =
      Pattern.compile("([a-zA-Z0-9_-][a-zA-Z0-9._-]*/)*[a-zA-Z0-9_-][a-zA-Z0-9._-]*");

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml");

  /** Any coding but {@code gzip;q=0}. */
  private static final Pattern TAKES_GZIP =
      Pattern.compile("(^|,)\\s*gzip\\s*(;\\s*q=(?!0(\\.0*)?\\s*(,|$))[0-9.]+\\s*)?(,|$)");

  private final String type;
  private final byte[] plain;
  private final byte[] compressed;
  private final String tag;

  private PageFile(String type, byte[] plain) {
    this.type = type;
    this.plain = plain;
    this.compressed = compress(plain);
    this.tag = "W/\"" + checksum(plain) + '"';
  }

  /**
   * @param name relative to the page, as the URL has it; what is not one of its files is not found
   */
  static Optional<PageFile> read(String name) {
    @Nullable String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    if (type == null || !NAME.matcher(name).matches()) {
      return Optional.empty();
    }
    try (@Nullable InputStream file = Dashboard.class.getResourceAsStream("page/" + name)) {
      return file == null ? Optional.empty() : Optional.of(new PageFile(type, file.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException("File \"%s\" of the dashboard not read".formatted(name), e);
    }
  }

  String text() {
    return new String(plain, StandardCharsets.UTF_8);
  }

  WebResponse answer(WebRequest request) {
    WebResponse answer;
    if (tag.equals(request.header("If-None-Match"))) {
      answer = WebResponse.empty(304);
    } else if (takesGzip(request.header("Accept-Encoding"))) {
      answer = WebResponse.of(200, type, compressed).header("Content-Encoding", "gzip");
    } else {
      answer = WebResponse.of(200, type, plain);
    }
    return answer.header("ETag", tag).header("Vary", "Accept-Encoding");
  }

  private static boolean takesGzip(@Nullable String codings) {
    return codings != null && TAKES_GZIP.matcher(codings).find();
  }

  private static byte[] compress(byte[] plain) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static String checksum(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }
}
