/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A reverse proxy that replaces the path in front, and knows no event streams. */
final class PrefixProxy implements AutoCloseable {
  /** What each hop has of its own. */
  private static final Set<String> OWN =
      Set.of("host", "connection", "content-length", "upgrade", "expect");

  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(8);
  private final HttpClient client = HttpClient.newHttpClient();
  private final String prefix;
  private final String target;

  private PrefixProxy(HttpServer server, String prefix, String target) {
    this.server = server;
    this.prefix = prefix;
    this.target = target;
  }

  /** Both end with a slash. */
  static PrefixProxy start(String prefix, String target) {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      PrefixProxy proxy = new PrefixProxy(server, prefix, target);
      server.setExecutor(proxy.threads);
      server.createContext(prefix, proxy::pass);
      server.start();
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + prefix;
  }

  private void pass(HttpExchange exchange) throws IOException {
    try (exchange) {
      String rest = exchange.getRequestURI().toString().substring(prefix.length());
      if (rest.startsWith("api/v1/events")) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(target + rest))
              .timeout(Duration.ofSeconds(20))
              .method(
                  exchange.getRequestMethod(),
                  BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
      exchange
          .getRequestHeaders()
          .forEach(
              (name, values) -> {
                if (!OWN.contains(name.toLowerCase(Locale.ROOT))) {
                  request.header(name, values.get(0));
                }
              });
      HttpResponse<byte[]> answer = client.send(request.build(), BodyHandlers.ofByteArray());
      answer.headers().map().forEach((name, values) -> copy(exchange, name, values.get(0)));
      byte[] body = answer.body();
      exchange.sendResponseHeaders(answer.statusCode(), body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void copy(HttpExchange exchange, String name, String value) {
    if (!name.equalsIgnoreCase("content-length") && !name.equalsIgnoreCase("transfer-encoding")) {
      exchange.getResponseHeaders().set(name, value);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
