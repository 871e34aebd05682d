/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import static java.util.Objects.requireNonNull;

import java.io.InputStream;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/**
 * A request as its server hands it over. For one thread.
 *
 * @since 0.1
 */
public interface WebRequest {
  /** In upper case: {@code GET}. */
  String method();

  /**
   * The path under which the handler is mounted: empty, or with a leading and no trailing slash.
   */
  String basePath();

  /** What follows the base path, still percent-encoded: empty, or with a leading slash. */
  String path();

  /** What follows the question mark, still percent-encoded; null if there is none. */
  @Nullable String query();

  /** The first header of this name, in any case; null if there is none. */
  @Nullable String header(String name);

  /** What the client sends; each read may block for as long as the server lets it. */
  InputStream body();

  /** Who asks, if the server itself has found out; else null. */
  @Nullable Principal principal();

  /** What a client must send with changes because the framework around asks for it; else null. */
  default @Nullable CsrfToken csrfToken() {
    return null;
  }

  /**
   * A secret that tells requests of the application's own pages from those of others.
   *
   * @param header the header in which it is expected
   */
  record CsrfToken(String header, String token) {
    public CsrfToken {
      requireNonNull(header, "header");
      requireNonNull(token, "token");
    }
  }
}
