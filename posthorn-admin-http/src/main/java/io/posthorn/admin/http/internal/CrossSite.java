/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.admin.http.WebRequest;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Refuses changes that the page of another site makes a browser send. Three things stand in its
 * way: a body of JSON, which a browser sends to another site only if that agrees, and we never do;
 * {@code Sec-Fetch-Site}, which every current browser sends and no page can forge; and {@code
 * Origin}, for older ones.
 */
final class CrossSite {
  private CrossSite() {}

  /**
   * @throws RequestProblem if it is not a request that an own page, or a program, makes
   */
  static void refuse(WebRequest request) {
    String type = request.header("Content-Type");
    if (type == null || !type.toLowerCase(Locale.ROOT).matches("application/json\\s*(;.*)?")) {
      throw new RequestProblem(415, "a change needs the header Content-Type: application/json");
    }
    String site = request.header("Sec-Fetch-Site");
    if (site != null) {
      if (!site.equals("same-origin") && !site.equals("none")) {
        throw foreign();
      }
      return;
    }
    String origin = request.header("Origin");
    if (origin != null && !isOwn(origin, request)) {
      throw foreign();
    }
  }

  /** A proxy in front may have been asked under another name; no page can send that header. */
  private static boolean isOwn(String origin, WebRequest request) {
    String host = authority(origin);
    return host != null
        && (host.equalsIgnoreCase(request.header("Host"))
            || host.equalsIgnoreCase(request.header("X-Forwarded-Host")));
  }

  private static @Nullable String authority(String origin) {
    try {
      return URI.create(origin).getRawAuthority();
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static RequestProblem foreign() {
    return new RequestProblem(
        403, "the page of another site sent this request; changes are made from own pages only");
  }
}
