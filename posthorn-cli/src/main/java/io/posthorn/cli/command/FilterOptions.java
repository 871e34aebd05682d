/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which messages are meant: those for which all that is given holds. */
@SuppressWarnings("NullAway.Init") // picocli fills the fields
final class FilterOptions {
  @Option(names = "--handler", paramLabel = "NAME", description = "Of this handler.")
  private @Nullable String handler;

  @Option(names = "--type", paramLabel = "TYPE", description = "Of this type.")
  private @Nullable String type;

  @Option(names = "--key", paramLabel = "KEY", description = "With this key.")
  private @Nullable String key;

  @Option(names = "--tenant", paramLabel = "TENANT", description = "Of this tenant.")
  private @Nullable String tenant;

  @Option(names = "--error", paramLabel = "TEXT", description = "Whose error has this in it.")
  private @Nullable String error;

  @Option(names = "--from", paramLabel = "TIME", description = "Since then: 2026-03-01T12:00:00Z.")
  private @Nullable Instant from;

  @Option(names = "--to", paramLabel = "TIME", description = "Before then.")
  private @Nullable Instant to;

  @Option(names = "--message-id", paramLabel = "UUID", description = "With this message id.")
  private @Nullable UUID messageId;

  private Map<String, String> given() {
    Map<String, String> given = new LinkedHashMap<>();
    put(given, "handler", handler);
    put(given, "type", type);
    put(given, "key", key);
    put(given, "tenant", tenant);
    put(given, "error", error);
    put(given, "from", from);
    put(given, "to", to);
    put(given, "messageId", messageId);
    return given;
  }

  private static void put(Map<String, String> given, String name, @Nullable Object value) {
    if (value != null) {
      given.put(name, value.toString());
    }
  }

  boolean isEmpty() {
    return given().isEmpty();
  }

  /** For a path; empty, or with a leading ampersand. */
  String query() {
    return given().entrySet().stream()
        .map(entry -> "&" + entry.getKey() + "=" + encode(entry.getValue()))
        .collect(Collectors.joining());
  }

  ObjectNode json() {
    ObjectNode filter = AdminApi.JSON.createObjectNode();
    given().forEach(filter::put);
    return filter;
  }

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
