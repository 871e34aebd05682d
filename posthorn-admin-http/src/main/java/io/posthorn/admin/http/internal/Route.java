/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.admin.http.AdminPermission;
import io.posthorn.admin.http.WebResponse;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An operation, where it is, and what it takes to call it.
 *
 * @param template segments; a variable one is in braces
 */
record Route(
    String method, List<String> template, AdminPermission permission, Operation operation) {
  /** Answers a call. */
  interface Operation {
    WebResponse answer(Call call) throws IOException;
  }

  static Route of(String method, String path, AdminPermission permission, Operation operation) {
    return new Route(method, List.of(path.split("/")), permission, operation);
  }

  /** The variable parts of a path, or null if it is another one. */
  @Nullable Map<String, String> match(List<String> segments) {
    if (segments.size() != template.size()) {
      return null;
    }
    Map<String, String> variables = new HashMap<>();
    for (int i = 0; i < template.size(); i++) {
      String part = template.get(i);
      if (part.startsWith("{")) {
        variables.put(part.substring(1, part.length() - 1), segments.get(i));
      } else if (!part.equals(segments.get(i))) {
        return null;
      }
    }
    return variables;
  }
}
