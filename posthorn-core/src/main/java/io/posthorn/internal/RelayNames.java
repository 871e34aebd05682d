/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.atomic.AtomicInteger;

/** Names relays that were not given a name: host, process, and a number if there are several. */
final class RelayNames {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final int MOST_HOST_CHARS = 60;

  private RelayNames() {}

  static String make() {
    int number = NUMBER.incrementAndGet();
    return host() + "-" + ProcessHandle.current().pid() + (number == 1 ? "" : "-" + number);
  }

  private static String host() {
    try {
      String host = InetAddress.getLocalHost().getHostName();
      return host.substring(0, Math.min(host.length(), MOST_HOST_CHARS));
    } catch (UnknownHostException e) {
      return "relay";
    }
  }
}
