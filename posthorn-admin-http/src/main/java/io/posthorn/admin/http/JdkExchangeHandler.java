/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.posthorn.spi.LoggerSource;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Leads requests to the handlers that are mounted, and sends their answers. */
final class JdkExchangeHandler implements HttpHandler {
  private static final System.Logger LOG = LoggerSource.of(JdkWebServer.class.getName());

  private final Map<String, WebHandler> handlers;
  private final Duration timeout;

  /**
   * @param handlers by path, the longest first
   */
  JdkExchangeHandler(Map<String, WebHandler> handlers, Duration timeout) {
    this.handlers = handlers;
    this.timeout = timeout;
  }

  @Override
  public void handle(HttpExchange exchange) {
    Watchdog.Guard guard = Watchdog.current();
    guard.within(timeout);
    try (exchange) {
      WebResponse response = respond(exchange, guard);
      response.headers().forEach(exchange.getResponseHeaders()::set);
      boolean bodiless = exchange.getRequestMethod().equals("HEAD") || response.length() == 0;
      guard.within(timeout);
      exchange.sendResponseHeaders(
          response.status(), bodiless ? -1 : Math.max(0, response.length()));
      if (!bodiless) {
        try (OutputStream out = new GuardedOutput(exchange.getResponseBody(), guard, timeout)) {
          response.body().writeTo(out);
        }
      }
    } catch (IOException e) { // nobody is left to be told
      LOG.log(Level.DEBUG, "A client of the admin server is gone: {0}", e.toString());
    }
  }

  private WebResponse respond(HttpExchange exchange, Watchdog.Guard guard) throws IOException {
    String path = exchange.getRequestURI().getRawPath();
    String mount = path == null ? null : mountOf(path);
    WebHandler handler = mount == null ? null : handlers.get(mount);
    if (mount == null || handler == null) {
      return WebResponse.text(404, "text/plain;charset=utf-8", "There is nothing here.\n");
    }
    try {
      return handler.handle(new JdkRequest(exchange, mount, guard));
    } catch (RuntimeException e) { // whatever it is, the server goes on
      LOG.log(Level.WARNING, "A request failed: " + e.getClass().getName());
      return WebResponse.text(500, "text/plain;charset=utf-8", "This request failed.\n");
    }
  }

  private @Nullable String mountOf(String path) {
    return handlers.keySet().stream()
        .filter(mount -> path.equals(mount) || path.startsWith(mount + "/"))
        .findFirst()
        .orElse(null);
  }

  /** Each write must come to its end in time. */
  private static final class GuardedOutput extends FilterOutputStream {
    private final Watchdog.Guard guard;
    private final Duration timeout;

    GuardedOutput(OutputStream out, Watchdog.Guard guard, Duration timeout) {
      super(out);
      this.guard = guard;
      this.timeout = timeout;
      guard.rest();
    }

    @Override
    public void write(int b) throws IOException {
      guard.within(timeout);
      out.write(b);
      guard.rest();
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      guard.within(timeout);
      out.write(bytes, from, length);
      guard.rest();
    }

    @Override
    public void flush() throws IOException {
      guard.within(timeout);
      out.flush();
      guard.rest();
    }

    @Override
    public void close() throws IOException {
      flush();
      guard.briefly(); // it waits for the rest of a body that nobody has read
      out.close();
      guard.rest();
    }
  }
}
