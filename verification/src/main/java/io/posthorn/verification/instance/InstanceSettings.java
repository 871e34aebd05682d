/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.verification.database.TestedDatabase;
import io.posthorn.verification.database.TestedDatabases;
import io.posthorn.verification.history.Nature;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What an instance is told by its command line.
 *
 * @param life its name and how often it has been started, such as {@code a#2}
 * @param skew how far its wall clock is ahead
 * @param perSecond transactions of its writers; 0: it only relays
 * @param crash where it is to end itself; empty: nowhere
 * @param natures of the messages it publishes, beside plain ones
 * @param handlers whom it has
 * @param outages by how many milliseconds the outages of the destination are shifted; negative:
 *     there are none
 * @param operator whether an operator acts in it
 * @param broker where messages are sent to and consumed from; empty: nowhere
 */
public record InstanceSettings(
    TestedDatabase database,
    String life,
    Path directory,
    long seed,
    Duration skew,
    int perSecond,
    String crash,
    Set<Nature> natures,
    Set<String> handlers,
    long outages,
    boolean operator,
    String broker,
    Tuning tuning) {
  public static final int WINDOW = 500;

  static final Duration TIME_LIMIT = Duration.ofSeconds(2);

  public List<String> arguments() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("database", database.label());
    values.put("life", life);
    values.put("directory", directory.toString());
    values.put("seed", Long.toString(seed));
    values.put("skew", Long.toString(skew.toMillis()));
    values.put("per-second", Integer.toString(perSecond));
    values.put("crash", crash);
    values.put("natures", natures.stream().map(Nature::name).collect(Collectors.joining(",")));
    values.put("handlers", String.join(",", handlers));
    values.put("outages", Long.toString(outages));
    values.put("operator", Boolean.toString(operator));
    values.put("broker", broker);
    values.put("tuning", tuning.words());
    return values.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .toList();
  }

  static InstanceSettings parse(String[] arguments) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      values.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    Set<Nature> natures = EnumSet.noneOf(Nature.class);
    words(values, "natures").forEach(nature -> natures.add(Nature.valueOf(nature)));
    return new InstanceSettings(
        TestedDatabases.named(value(values, "database")).orElseThrow(),
        value(values, "life"),
        Path.of(value(values, "directory")),
        Long.parseLong(value(values, "seed")),
        Duration.ofMillis(Long.parseLong(value(values, "skew"))),
        Integer.parseInt(value(values, "per-second")),
        value(values, "crash"),
        natures,
        Set.copyOf(words(values, "handlers")),
        Long.parseLong(value(values, "outages")),
        Boolean.parseBoolean(value(values, "operator")),
        value(values, "broker"),
        Tuning.parse(value(values, "tuning")));
  }

  private static List<String> words(Map<String, String> values, String name) {
    String value = value(values, name);
    return value.isEmpty() ? List.of() : List.of(value.split(",", -1));
  }

  private static String value(Map<String, String> values, String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("\"" + name + "=…\" is missing");
    }
    return value;
  }
}
