/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion.VersionFlag;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** The description of the API, as a test reads it. */
final class OpenApi {
  static final OpenApi DESCRIPTION = new OpenApi();

  private final ObjectNode root;

  private OpenApi() {
    try (InputStream in =
        OpenApi.class.getResourceAsStream("/io/posthorn/admin/http/openapi.yaml")) {
      root = (ObjectNode) new YAMLMapper().readTree(requireNonNull(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@code GET /dead-letters/{entry}}. */
  List<String> operations() {
    List<String> found = new ArrayList<>();
    forEach((name, operation) -> found.add(name));
    return found;
  }

  private void forEach(BiConsumer<String, JsonNode> visitor) {
    for (Map.Entry<String, JsonNode> path : root.get("paths").properties()) {
      for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
        String method = operation.getKey().toUpperCase(java.util.Locale.ROOT);
        visitor.accept(method + " " + path.getKey(), operation.getValue());
      }
    }
  }

  JsonNode operation(String name) {
    int space = name.indexOf(' ');
    return root.get("paths")
        .get(name.substring(space + 1))
        .get(name.substring(0, space).toLowerCase(java.util.Locale.ROOT));
  }

  /** The permission that an operation needs. */
  String permission(String operation) {
    return operation(operation).at("/x-permission").asText();
  }

  /** Checks that an answer is one that is described. */
  void check(String operation, int status, String contentType, JsonNode body) {
    JsonNode responses = operation(operation).get("responses");
    JsonNode response = resolve(responses.path(Integer.toString(status)));
    if (response.isMissingNode()) {
      response = resolve(responses.get("default"));
      assertThat(status).as(operation).isGreaterThanOrEqualTo(400);
    }
    JsonNode content = response.get("content").path(contentType);
    assertThat(content.isMissingNode()).as(operation + " answers " + contentType).isFalse();
    assertThat(problems(content.get("schema"), body)).as(operation + " " + body).isEmpty();
  }

  Set<String> problemsOfRequest(String operation, JsonNode body) {
    return problems(
        operation(operation).at("/requestBody/content").get("application/json").get("schema"),
        body);
  }

  private JsonNode resolve(JsonNode node) {
    String reference = node.path("$ref").asText("");
    return reference.isEmpty() ? node : root.at(reference.substring(1));
  }

  private Set<String> problems(JsonNode schema, JsonNode body) {
    ObjectNode whole = root.objectNode();
    whole.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    whole.set("allOf", root.arrayNode().add(schema));
    whole.set("components", root.get("components"));
    Set<String> problems = new TreeSet<>();
    JsonSchemaFactory.getInstance(VersionFlag.V202012)
        .getSchema(whole, SchemaValidatorsConfig.builder().formatAssertionsEnabled(true).build())
        .validate(body)
        .forEach(problem -> problems.add(problem.toString()));
    return problems;
  }

  /** Names of all properties that answers can have. */
  Set<String> properties() {
    Set<String> names = new TreeSet<>();
    Set<String> ofRequests =
        Set.of(
            "Filter",
            "EntriesAction",
            "EditHeaders",
            "EditManyHeaders",
            "EditPayload",
            "LaneAction",
            "HandlerAction",
            "PartitionAction");
    root.at("/components/schemas")
        .properties()
        .forEach(
            schema -> {
              if (!ofRequests.contains(schema.getKey())) {
                collect(schema.getValue(), names);
              }
            });
    return names;
  }

  private static void collect(JsonNode schema, Set<String> names) {
    JsonNode properties = schema.path("properties");
    properties.fieldNames().forEachRemaining(names::add);
    schema.forEach(inner -> collect(inner, names));
    properties.forEach(inner -> collect(inner, names));
  }
}
