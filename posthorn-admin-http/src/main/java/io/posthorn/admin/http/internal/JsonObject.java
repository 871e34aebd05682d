/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An object that is written: its members in their order. A member that is null is left out. Values
 * are what {@link Json} writes.
 */
final class JsonObject {
  private final Map<String, Object> members = new LinkedHashMap<>();

  JsonObject put(String name, @Nullable Object value) {
    if (value != null) {
      members.put(name, value);
    }
    return this;
  }

  JsonObject putAll(JsonObject other) {
    members.putAll(other.members);
    return this;
  }

  Map<String, Object> values() {
    return Collections.unmodifiableMap(members);
  }
}
