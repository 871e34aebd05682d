/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.relay;

import io.posthorn.admin.http.AdminPermission;
import io.posthorn.cli.config.Section;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The section {@code server.admin}: whether operators reach the admin API here.
 *
 * @param users by name
 * @param masked fields of payloads, and headers, whose values nobody sees
 */
record AdminConfig(String path, Map<String, User> users, boolean readOnly, List<String> masked) {

  /** Somebody who may log in. */
  record User(String password, Set<AdminPermission> permissions) {
    /** Without the password. */
    @Override
    public String toString() {
      return permissions.toString();
    }
  }

  static AdminConfig of(Section section) {
    String path = section.text("path").orElse("/posthorn");
    if (!path.matches("(/[A-Za-z0-9._~-]+)+")) {
      section.problem("path", "was \"%s\" but must be like /posthorn".formatted(path));
    }
    Map<String, User> users = new LinkedHashMap<>();
    Optional<Section> named = section.section("users");
    named.ifPresent(
        all ->
            all.keys()
                .forEach(name -> all.section(name).ifPresent(user -> users.put(name, user(user)))));
    if (named.isEmpty() || users.isEmpty()) {
      section.problem("users", "is not set; without a user nobody could log in");
    }
    return new AdminConfig(
        path, users, section.bool("read-only").orElse(false), section.texts("mask"));
  }

  private static User user(Section section) {
    String password = section.secret("password").orElse("");
    if (!section.has("password")) {
      section.problem("password", "is not set; write ${NAME} and set that in the environment");
    }
    String may = section.text("may").orElse("see");
    EnumSet<AdminPermission> permissions =
        switch (may) {
          case "see" -> EnumSet.of(AdminPermission.SEE);
          case "see-payloads" -> EnumSet.of(AdminPermission.SEE, AdminPermission.SEE_PAYLOADS);
          case "act" -> EnumSet.allOf(AdminPermission.class);
          default -> {
            section.problem(
                "may", "was \"%s\" but must be see, see-payloads or act".formatted(may));
            yield EnumSet.noneOf(AdminPermission.class);
          }
        };
    return new User(password, permissions);
  }
}
