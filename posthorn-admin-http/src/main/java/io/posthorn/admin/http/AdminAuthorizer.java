/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import java.util.EnumSet;

/**
 * Says who asks and what they may do; asked once for each request, before anything else. Safe to
 * share between threads. One that throws lets nobody in.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface AdminAuthorizer {
  /** Who sends this request; must not read its body. */
  AdminAccess authorize(WebRequest request);

  /**
   * Lets everybody who can reach the server do everything. For a server that only operators can
   * reach.
   */
  static AdminAuthorizer open() {
    AdminAccess all = new AdminAccess(true, null, EnumSet.allOf(AdminPermission.class), null);
    return request -> all;
  }
}
