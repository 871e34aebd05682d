/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.relay;

import io.posthorn.Route;
import io.posthorn.cli.config.Section;
import io.posthorn.cli.relay.SenderConfig.Kind;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One of the {@code routes}: which messages go where. */
final class RouteConfig {
  private final Section section;
  private final List<SenderConfig> senders;

  private RouteConfig(Section section, List<SenderConfig> senders) {
    this.section = section;
    this.senders = senders;
  }

  /** Empty, and problems noted, if it can't be followed. */
  static Optional<Route> of(Section section, List<SenderConfig> senders) {
    RouteConfig config = new RouteConfig(section, senders);
    Optional<Route.Selection> selection = config.selection();
    Optional<SenderConfig> sender = config.sender();
    try {
      return selection.isEmpty() || sender.isEmpty()
          ? config.readTheRest()
          : Optional.of(config.route(selection.get(), sender.get()));
    } catch (IllegalArgumentException e) {
      section.problem("to", "can't be followed: " + e.getMessage());
      return Optional.empty();
    }
  }

  /** So that nothing of it counts as unknown. */
  private Optional<Route> readTheRest() {
    section.text("routing-key");
    section.text("key");
    section.textsByName("headers");
    return Optional.empty();
  }

  private Optional<Route.Selection> selection() {
    List<String> types = section.texts("type");
    Optional<Section> header = section.section("header");
    boolean otherwise = section.bool("otherwise").orElse(false);
    if (Stream.of(!types.isEmpty(), header.isPresent(), otherwise).filter(set -> set).count()
        != 1) {
      section.problem(
          "type",
          "is not clear: set one of \"type\" (one or a list), \"header\" (with a name and perhaps a value), or \"otherwise: true\" for what no other route takes");
      return Optional.empty();
    }
    if (!types.isEmpty()) {
      String[] more = types.subList(1, types.size()).toArray(String[]::new);
      return Optional.of(Route.type(types.get(0), more));
    }
    return Optional.of(header.map(RouteConfig::withHeader).orElseGet(Route::otherwise));
  }

  private static Route.Selection withHeader(Section header) {
    String name = header.neededText("name", "region");
    return header
        .text("value")
        .map(value -> Route.withHeader(name, value))
        .orElseGet(() -> Route.withHeader(name));
  }

  private Optional<SenderConfig> sender() {
    List<Kind> kinds =
        Arrays.stream(Kind.values()).filter(kind -> section.has(kind.destination())).toList();
    if (kinds.size() > 1) {
      section.problem(
          kinds.get(1).destination(),
          "was set beside %s, but a message goes to one of them; make them two routes"
              .formatted(kinds.get(0).destination()));
      return Optional.empty();
    }
    Optional<String> to = section.text("to");
    List<SenderConfig> fitting =
        senders.stream()
            .filter(sender -> to.isEmpty() || sender.name().equals(to.get()))
            .filter(sender -> to.isPresent() || kinds.isEmpty() || sender.kind() == kinds.get(0))
            .toList();
    if (fitting.size() != 1) {
      section.problem(
          "to",
          to.isPresent()
              ? unknownSender(to.get())
              : "is not set, and it is not clear which sender is meant; " + known());
      return Optional.empty();
    }
    SenderConfig sender = fitting.get(0);
    if (!kinds.isEmpty() && sender.kind() != kinds.get(0)) {
      section.problem(
          kinds.get(0).destination(),
          "was set, but sender \"%s\" is of type %s and needs \"%s\""
              .formatted(
                  sender.name(),
                  sender.kind().name().toLowerCase(Locale.ROOT),
                  sender.kind().destination()));
      return Optional.empty();
    }
    return fitting.stream().findFirst();
  }

  private String unknownSender(String name) {
    return "was \"%s\", but there is no sender of that name; %s".formatted(name, known());
  }

  private String known() {
    return "senders are "
        + senders.stream().map(SenderConfig::name).collect(Collectors.toCollection(TreeSet::new));
  }

  private Route route(Route.Selection selection, SenderConfig sender) {
    String key = sender.kind().destination();
    Optional<String> destination = section.text(key);
    if (sender.kind() == Kind.HTTP) {
      checkUrl(sender, destination.orElse(""));
    }
    Route route =
        destination
            .map(to -> selection.to(sender.name(), to))
            .orElseGet(() -> selection.to(sender.name()));
    Optional<String> routingKey = section.text("routing-key");
    if (routingKey.isPresent()) {
      route = route.routingKey(routingKey.get());
    }
    Optional<String> brokerKey = section.text("key");
    if (brokerKey.isPresent()) {
      route = route.key(brokerKey.get());
    }
    for (Map.Entry<String, String> header : section.textsByName("headers").entrySet()) {
      route = route.header(header.getKey(), header.getValue());
    }
    return route;
  }

  /** As far as it can be known before there is a message. */
  private void checkUrl(SenderConfig sender, String url) {
    if (url.startsWith("{")) {
      return;
    }
    try {
      URI parsed = new URI(url.replaceAll("\\{[^}]*}", "x"));
      if (parsed.getHost() == null || !List.of("https", "http").contains(parsed.getScheme())) {
        section.problem("url", "must be like https://hooks.example.com/{tenant}");
      } else if (parsed.getScheme().equals("http")
          && !sender.plainHosts().contains(parsed.getHost())) {
        section.problem(
            "url",
            "is not encrypted: use https, or name the host \"%s\" in senders.%s.plain-hosts"
                .formatted(parsed.getHost(), sender.name()));
      }
    } catch (URISyntaxException e) {
      section.problem("url", "is no URL: " + e.getReason());
    }
  }
}
