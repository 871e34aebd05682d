/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.admin.http.WebRequest;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The names under which a server without a login may be asked. A page whose site's name is resolved
 * to this server has the name of that site in {@code Host}. Immutable.
 */
public final class OwnHosts {
  private static final int MAX_SHOWN = 100;
  private static final Pattern PORT = Pattern.compile(":[0-9]{0,5}$");
  private static final Pattern IP_ADDRESS =
      Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9a-f:.]+]");

  private final Set<String> names = new HashSet<>(Set.of("localhost"));

  public OwnHosts(Collection<String> configured) {
    configured.forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
  }

  /**
   * A program may leave the header out; a browser never does.
   *
   * @throws RequestProblem if another name was asked for
   */
  public void check(WebRequest request) {
    String asked = request.header("Host");
    if (asked == null) {
      return;
    }
    String host = PORT.matcher(asked.toLowerCase(Locale.ROOT)).replaceFirst("");
    if (!names.contains(host) && !IP_ADDRESS.matcher(host).matches()) {
      throw new RequestProblem(
          421,
          "this server is open to whoever reaches it, but not under the name \"%s\"; use its IP address, or name this host in AdminAuthorizer.open(...)"
              .formatted(host.length() <= MAX_SHOWN ? host : host.substring(0, MAX_SHOWN)));
    }
  }
}
