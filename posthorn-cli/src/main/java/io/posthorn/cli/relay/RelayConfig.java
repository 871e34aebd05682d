/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.relay;

import io.posthorn.ConfigurationException;
import io.posthorn.Route;
import io.posthorn.cli.config.ConfigFile;
import io.posthorn.cli.config.Section;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The file by which a relay of its own is set up.
 *
 * @param cloudEventsSource empty if CloudEvents headers are not wanted
 */
public record RelayConfig(
    DatabaseConfig database,
    RelaySettings relay,
    List<SenderConfig> senders,
    List<Route> routes,
    Optional<String> cloudEventsSource,
    ServerConfig server) {

  /**
   * @param environment gives the value of a variable, or null
   * @throws ConfigurationException naming every problem, by line
   */
  public static RelayConfig read(Path file, UnaryOperator<String> environment) {
    return of(ConfigFile.read(file, environment));
  }

  /**
   * @throws ConfigurationException naming every problem, by line
   */
  static RelayConfig of(Section file) {
    Optional<DatabaseConfig> database = file.section("database").map(DatabaseConfig::of);
    if (!file.has("database")) {
      file.problem("database", "is not set; it needs at least a url");
    }
    RelaySettings relay = RelaySettings.of(file.section("relay"));
    List<SenderConfig> senders = senders(file);
    List<Route> routes = routes(file, senders);
    Optional<String> cloudEvents =
        file.section("cloud-events").map(section -> section.neededText("source", "/shop/orders"));
    ServerConfig server = ServerConfig.of(file.section("server"));
    file.end();
    return new RelayConfig(database.orElseThrow(), relay, senders, routes, cloudEvents, server);
  }

  private static List<SenderConfig> senders(Section file) {
    List<SenderConfig> senders = new ArrayList<>();
    file.section("senders")
        .ifPresentOrElse(
            all -> {
              for (String name : all.keys()) {
                all.section(name)
                    .flatMap(section -> SenderConfig.of(name, section))
                    .ifPresent(senders::add);
              }
            },
            () -> file.problem("senders", "is not set; name at least one"));
    return senders;
  }

  private static List<Route> routes(Section file, List<SenderConfig> senders) {
    if (!file.has("routes")) {
      file.problem("routes", "is not set; without a route nothing would be delivered");
    }
    List<Route> routes = new ArrayList<>();
    for (Section route : file.sections("routes")) {
      RouteConfig.of(route, senders).ifPresent(routes::add);
    }
    return routes;
  }
}
