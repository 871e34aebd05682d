/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.posthorn.cli.CommandFailure;
import io.posthorn.cli.ExitCode;
import java.io.IOException;
import java.util.UUID;

/** The admin API, described by openapi.yaml of posthorn-admin-http: of a server, or in here. */
interface AdminApi extends AutoCloseable {
  ObjectMapper JSON = new ObjectMapper();

  /**
   * Asks for something.
   *
   * @param path below {@code api/v1/}, with its query
   * @throws CommandFailure if it is refused
   */
  JsonNode get(String path);

  /**
   * Has something done.
   *
   * @param action an id of its own; sent again, it is not done twice
   * @throws CommandFailure if it is refused
   */
  JsonNode act(UUID action, ObjectNode request);

  @Override
  void close();

  /**
   * The answer, if it is one.
   *
   * @throws CommandFailure with what the problem says
   */
  static JsonNode answer(int status, byte[] body) {
    JsonNode answer;
    try {
      answer = JSON.readTree(body);
    } catch (IOException e) {
      throw new CommandFailure(
          ExitCode.UNREACHABLE,
          "the answer (status %d) is no JSON; is it the URL of the admin API?".formatted(status));
    }
    if (status >= 200 && status < 300) {
      return answer;
    }
    String detail = answer.path("detail").asText("no reason given");
    throw new CommandFailure(
        exitCode(status),
        switch (status) {
          case 401 ->
              detail
                  + "; set POSTHORN_ADMIN_TOKEN, or POSTHORN_ADMIN_USER and POSTHORN_ADMIN_PASSWORD";
          case 403 -> "not allowed: " + detail;
          default -> detail;
        });
  }

  private static int exitCode(int status) {
    return switch (status) {
      case 400 -> ExitCode.USAGE;
      case 502, 503, 504 -> ExitCode.UNREACHABLE;
      default -> ExitCode.FAILED;
    };
  }
}
