/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.springframework.context.ConfigurableApplicationContext;

/** The shop with a web server, as its clients and operators see it. */
final class WebShop implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ConfigurableApplicationContext context;
  private final HttpClient client =
      HttpClient.newBuilder().cookieHandler(new CookieManager()).build();

  private WebShop(ConfigurableApplicationContext context) {
    this.context = context;
  }

  static WebShop run(Class<?> more, String... properties) {
    String[] all = new String[properties.length + 2];
    all[0] = "spring.main.web-application-type=servlet";
    all[1] = "server.port=0";
    System.arraycopy(properties, 0, all, 2, properties.length);
    return new WebShop(Shop.run(more, all));
  }

  ConfigurableApplicationContext context() {
    return context;
  }

  HttpResponse<String> post(String path) throws Exception {
    return send(request(path).POST(HttpRequest.BodyPublishers.noBody()));
  }

  HttpResponse<String> get(String path) throws Exception {
    return send(request(path).GET());
  }

  JsonNode json(String path) throws Exception {
    return new ObjectMapper().readTree(get(path).body());
  }

  HttpRequest.Builder request(String path) {
    String port = requireNonNull(context.getEnvironment().getProperty("local.server.port"));
    return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).timeout(PATIENCE);
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Override
  public void close() {
    context.close();
  }
}
