/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import static java.util.Objects.requireNonNull;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who asks, and what they may do. {@link AdminPermission#SEE_PAYLOADS} and {@link
 * AdminPermission#ACT} include {@link AdminPermission#SEE}.
 *
 * @param name recorded with what they do; null if nobody knows
 * @param challenge what they are told to log in with (the header {@code WWW-Authenticate}); null
 *     for none
 * @since 0.1
 */
public record AdminAccess(
    boolean authenticated,
    @Nullable String name,
    Set<AdminPermission> permissions,
    @Nullable String challenge) {
  public AdminAccess {
    EnumSet<AdminPermission> all = EnumSet.noneOf(AdminPermission.class);
    all.addAll(permissions);
    if (!all.isEmpty()) {
      all.add(AdminPermission.SEE);
    }
    permissions = Set.copyOf(all);
  }

  /** Somebody who is known; without permissions they are refused. */
  public static AdminAccess of(String name, Set<AdminPermission> permissions) {
    return new AdminAccess(true, requireNonNull(name, "name"), permissions, null);
  }

  /** Somebody who has to log in first. */
  public static AdminAccess unauthenticated(@Nullable String challenge) {
    return new AdminAccess(false, null, Set.of(), challenge);
  }

  public boolean may(AdminPermission permission) {
    return permissions.contains(permission);
  }
}
