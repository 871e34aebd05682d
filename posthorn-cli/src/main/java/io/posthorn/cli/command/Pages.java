/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** Reads lists, page by page. */
final class Pages {
  private static final int PAGE = 200;

  private Pages() {}

  /**
   * Entries from the beginning of a list.
   *
   * @param path of the list, with a query that may be empty but begins with an ampersand
   * @return the items, and {@code more} if there are
   */
  static ObjectNode read(AdminApi api, String path, String query, int limit) {
    ArrayNode items = AdminApi.JSON.createArrayNode();
    String cursor = "";
    do {
      int wanted = Math.min(PAGE, limit - items.size());
      JsonNode page = api.get("%s?limit=%d%s%s".formatted(path, wanted, query, cursor));
      page.path("items").forEach(items::add);
      JsonNode next = page.path("cursor");
      cursor = next.isMissingNode() ? "" : "&cursor=" + FilterOptions.encode(next.asText());
    } while (!cursor.isEmpty() && items.size() < limit);
    ObjectNode all = AdminApi.JSON.createObjectNode();
    all.set("items", items);
    return all.put("more", !cursor.isEmpty());
  }

  /** Prints a list: as JSON, or as a table with these fields under these headings. */
  static int print(Output output, ObjectNode list, List<String> headings, List<String> fields) {
    if (output.json()) {
      output.json(list);
      return list.path("items").size();
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(headings);
    for (JsonNode item : list.path("items")) {
      rows.add(fields.stream().map(field -> text(item.at(field))).toList());
    }
    if (rows.size() == 1) {
      output.note("none");
    } else {
      output.table(rows);
    }
    if (list.path("more").asBoolean()) {
      output.note("there are more; see --limit");
    }
    return rows.size() - 1;
  }

  private static String text(JsonNode value) {
    if (value.isArray()) {
      List<String> texts = new ArrayList<>();
      value.forEach(item -> texts.add(item.asText()));
      return String.join(" ", texts);
    }
    return value.isMissingNode() ? "-" : value.asText();
  }
}
