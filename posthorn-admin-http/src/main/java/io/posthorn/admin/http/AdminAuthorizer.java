/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import io.posthorn.admin.http.internal.OwnHosts;
import java.util.EnumSet;
import java.util.List;

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
   *
   * <p>Requests must be sent to an IP address, to {@code localhost} or to one of these hosts;
   * others are refused with 421. Otherwise the page of any site that an operator visits could have
   * its name resolved to this server (DNS rebinding), and be obeyed.
   *
   * @param hosts further names, without a port, under which operators reach the server
   */
  static AdminAuthorizer open(String... hosts) {
    AdminAccess all = new AdminAccess(true, null, EnumSet.allOf(AdminPermission.class), null);
    OwnHosts own = new OwnHosts(List.of(hosts));
    return request -> {
      own.check(request);
      return all;
    };
  }
}
