/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.admin.http.AdminAccess;
import io.posthorn.admin.http.AdminAuthorizer;
import io.posthorn.admin.http.AdminPermission;
import io.posthorn.admin.http.WebRequest;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Asks Spring Security who somebody is and which authorities they have. Without one of those that
 * are named, nobody may do anything, whatever the rules of the filter chains let through.
 */
final class SecurityContextAuthorizer implements AdminAuthorizer {
  private final PosthornProperties.Authorities wanted;

  SecurityContextAuthorizer(PosthornProperties.Authorities wanted) {
    this.wanted = wanted;
  }

  @Override
  public AdminAccess authorize(WebRequest request) {
    Authentication somebody = SecurityContextHolder.getContext().getAuthentication();
    if (somebody == null
        || !somebody.isAuthenticated()
        || somebody instanceof AnonymousAuthenticationToken) {
      return AdminAccess.unauthenticated(null);
    }
    Set<String> had =
        somebody.getAuthorities().stream()
            .map(GrantedAuthority::getAuthority)
            .collect(Collectors.toSet());
    EnumSet<AdminPermission> permissions = EnumSet.noneOf(AdminPermission.class);
    addIf(had, wanted.see(), AdminPermission.SEE, permissions);
    addIf(had, wanted.seePayloads(), AdminPermission.SEE_PAYLOADS, permissions);
    addIf(had, wanted.act(), AdminPermission.ACT, permissions);
    return AdminAccess.of(somebody.getName(), permissions);
  }

  /** Roles are authorities with a prefix. */
  private static void addIf(
      Set<String> had,
      Collection<String> wanted,
      AdminPermission permission,
      Set<AdminPermission> permissions) {
    if (wanted.stream().anyMatch(name -> had.contains(name) || had.contains("ROLE_" + name))) {
      permissions.add(permission);
    }
  }
}
