/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.relay;

import io.posthorn.cli.config.Section;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * The section {@code server}: where health, metrics and, if enabled, the admin API are served.
 *
 * @param address port 0 takes a free one
 * @param admin empty: the admin API is not served
 */
record ServerConfig(InetSocketAddress address, Optional<AdminConfig> admin) {
  private static final int PORT = 8080;
  private static final String ALL_ADDRESSES = "0.0.0.0";

  static ServerConfig of(Optional<Section> section) {
    String host = section.flatMap(server -> server.text("address")).orElse(ALL_ADDRESSES);
    int port = section.flatMap(server -> server.integer("port")).orElse(PORT);
    Optional<AdminConfig> admin =
        section.flatMap(server -> server.section("admin")).map(AdminConfig::of);
    if (port < 0 || port > 65_535) {
      section.ifPresent(
          server ->
              server.problem("port", "was %d but must be between 0 and 65535".formatted(port)));
      return new ServerConfig(InetSocketAddress.createUnresolved(host, 0), admin);
    }
    return new ServerConfig(new InetSocketAddress(host, port), admin);
  }
}
