/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Uses the shop as people do. */
final class Browser {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final HttpClient client = HttpClient.newHttpClient();
  private final int port;

  Browser(int port) {
    this.port = port;
  }

  String get(String path) throws Exception {
    return send(200, "GET", path, "");
  }

  String post(int expected, String path, String body) throws Exception {
    return send(expected, "POST", path, body);
  }

  String send(int expected, String method, String path, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(expected);
    return response.body();
  }
}
