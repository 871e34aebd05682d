/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import io.posthorn.DestinationDownException;
import io.posthorn.RefusedException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the URLs that routes lead to. Parts of them may come from messages, so what would lead a
 * request elsewhere than the route says is refused. Immutable.
 */
final class TargetUrl {
  private final Set<String> plainHttpHosts;

  /**
   * @param plainHttpHosts hosts to which unencrypted requests are allowed, in lower case
   */
  TargetUrl(Set<String> plainHttpHosts) {
    this.plainHttpHosts = Set.copyOf(plainHttpHosts);
  }

  /**
   * @throws RefusedException if it is not the URL of an HTTP endpoint
   * @throws DestinationDownException if requests to it would not be encrypted
   */
  URI parse(String destination) {
    URI url;
    try {
      url = new URI(destination);
    } catch (URISyntaxException e) {
      throw refused(destination, e.getReason());
    }
    String problem = problem(url);
    if (problem != null) {
      throw refused(destination, problem);
    }
    if ("http".equalsIgnoreCase(url.getScheme()) && !plainHttpHosts.contains(host(url))) {
      throw DestinationDownException.of(
          destination,
          "\"%s\" is not encrypted: use https, or allow plain HTTP to the host \"%s\""
              .formatted(destination, host(url)),
          null);
    }
    return url;
  }

  private static String host(URI url) {
    return url.getHost().toLowerCase(Locale.ROOT);
  }

  private static RefusedException refused(String destination, String problem) {
    return new RefusedException(
        "\"%s\" cannot be sent to: %s; change the route".formatted(destination, problem), null);
  }

  private static @Nullable String problem(URI url) {
    String scheme = url.getScheme();
    if (!"https".equalsIgnoreCase(scheme) && !"http".equalsIgnoreCase(scheme)) {
      return "a URL must begin with https:// or http://";
    }
    if (url.getHost() == null) {
      return "it names no host";
    }
    if (url.getRawUserInfo() != null) {
      return "it has a user name; set the header \"authorization\" of the sender instead";
    }
    if (url.getRawFragment() != null) {
      return "it has a fragment (#), which is never sent";
    }
    for (String segment : url.getPath().split("/", -1)) {
      if (segment.equals(".") || segment.equals("..")) {
        return "its path has a segment \"%s\"".formatted(segment);
      }
    }
    return null;
  }
}
