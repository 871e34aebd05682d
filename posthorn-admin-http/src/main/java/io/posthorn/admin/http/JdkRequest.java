/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/** A request to the server of the JDK. */
final class JdkRequest implements WebRequest {
  private final HttpExchange exchange;
  private final String basePath;
  private final InputStream body;

  JdkRequest(HttpExchange exchange, String basePath, Watchdog.Guard guard) {
    this.exchange = exchange;
    this.basePath = basePath;
    this.body = new GuardedInput(exchange.getRequestBody(), guard);
    if (isEmpty(exchange)) {
      guard.rest();
    }
  }

  private static boolean isEmpty(HttpExchange exchange) {
    String length = exchange.getRequestHeaders().getFirst("Content-Length");
    return !exchange.getRequestHeaders().containsKey("Transfer-Encoding")
        && (length == null || length.equals("0"));
  }

  @Override
  public String method() {
    return exchange.getRequestMethod();
  }

  @Override
  public String basePath() {
    return basePath;
  }

  @Override
  public String path() {
    return exchange.getRequestURI().getRawPath().substring(basePath.length());
  }

  @Override
  public @Nullable String query() {
    return exchange.getRequestURI().getRawQuery();
  }

  @Override
  public @Nullable String header(String name) {
    return exchange.getRequestHeaders().getFirst(name);
  }

  @Override
  public InputStream body() {
    return body;
  }

  @Override
  public @Nullable Principal principal() {
    return exchange.getPrincipal();
  }

  /** The whole request must have come in time; with its end, the waiting for the client ends. */
  private static final class GuardedInput extends FilterInputStream {
    private final Watchdog.Guard guard;

    GuardedInput(InputStream in, Watchdog.Guard guard) {
      super(in);
      this.guard = guard;
    }

    @Override
    public int read() throws IOException {
      int read = in.read();
      restAt(read);
      return read;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int read = in.read(bytes, from, length);
      restAt(read);
      return read;
    }

    private void restAt(int read) {
      if (read < 0) {
        guard.rest();
      }
    }
  }
}
