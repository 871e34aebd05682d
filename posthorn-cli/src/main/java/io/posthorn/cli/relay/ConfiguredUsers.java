/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.relay;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.admin.http.AdminAccess;
import io.posthorn.admin.http.AdminAuthorizer;
import io.posthorn.admin.http.WebRequest;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lets in who is in the configuration, by user and password (HTTP Basic). */
final class ConfiguredUsers implements AdminAuthorizer {
  private static final AdminAccess NOBODY =
      AdminAccess.unauthenticated("Basic realm=\"Posthorn\", charset=\"UTF-8\"");
  private static final String SCHEME = "basic ";

  private final Map<String, AdminConfig.User> users;

  ConfiguredUsers(Map<String, AdminConfig.User> users) {
    this.users = Map.copyOf(users);
  }

  @Override
  public AdminAccess authorize(WebRequest request) {
    String[] given = credentials(request.header("authorization"));
    if (given == null) {
      return NOBODY;
    }
    AdminConfig.User user = users.get(given[0]);
    if (user == null || user.password().isEmpty()) {
      return NOBODY;
    }
    return MessageDigest.isEqual(user.password().getBytes(UTF_8), given[1].getBytes(UTF_8))
        ? AdminAccess.of(given[0], user.permissions())
        : NOBODY;
  }

  private static String @Nullable [] credentials(@Nullable String header) {
    if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return null;
    }
    try {
      byte[] decoded = Base64.getDecoder().decode(header.substring(SCHEME.length()).strip());
      String[] parts = new String(decoded, UTF_8).split(":", 2);
      return parts.length == 2 ? parts : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
