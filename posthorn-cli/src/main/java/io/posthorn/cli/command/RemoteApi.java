/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.posthorn.cli.CommandFailure;
import io.posthorn.cli.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** The admin API of a running process. Credentials come from the environment only. */
final class RemoteApi implements AdminApi {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final HttpClient client =
      HttpClient.newBuilder()
          .connectTimeout(Duration.ofSeconds(10))
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();
  private final String base;
  private final UnaryOperator<String> environment;

  /**
   * @param url where the admin API is mounted, without {@code api/v1}
   */
  RemoteApi(String url, UnaryOperator<String> environment) {
    if (!url.matches("https?://[^/]+.*")) {
      throw new CommandFailure(
          ExitCode.USAGE,
          "--admin was \"%s\" but must be like https://relay.example.com/posthorn".formatted(url));
    }
    this.base = (url.endsWith("/") ? url : url + "/") + "api/v1/";
    this.environment = environment;
  }

  @Override
  public JsonNode get(String path) {
    return send(request(path).GET());
  }

  @Override
  public JsonNode act(UUID action, ObjectNode body) {
    return send(
        request("actions/" + action)
            .header("content-type", "application/json")
            .PUT(BodyPublishers.ofString(body.toString())));
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(LIMIT)
            .header("accept", "application/json");
    String token = environment.apply("POSTHORN_ADMIN_TOKEN");
    String user = environment.apply("POSTHORN_ADMIN_USER");
    String password = environment.apply("POSTHORN_ADMIN_PASSWORD");
    if (token != null) {
      request.header("authorization", "Bearer " + token);
    } else if (user != null && password != null) {
      byte[] both = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
      request.header("authorization", "Basic " + Base64.getEncoder().encodeToString(both));
    }
    return request;
  }

  private JsonNode send(HttpRequest.Builder request) {
    try {
      HttpResponse<byte[]> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      return AdminApi.answer(response.statusCode(), response.body());
    } catch (IOException e) {
      String why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      throw new CommandFailure(
          ExitCode.UNREACHABLE, "%s can't be reached: %s".formatted(base, why));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.FAILED, "interrupted");
    }
  }

  @Override
  public void close() {
    // the client ends with the process
  }
}
