/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.config;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Makes values of texts. Environment variables are filled in after the file was parsed. */
final class Scalars {
  private static final Pattern VARIABLE =
      Pattern.compile("\\$\\$\\{|\\$\\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?}");

  private static final Pattern DURATION = Pattern.compile("(\\d{1,15})\\s*(ms|s|m|h|d)");
  private static final Pattern SIZE = Pattern.compile("(\\d{1,9})\\s*(B|KiB|MiB|GiB)?");

  private final Problems problems;
  private final UnaryOperator<String> environment;

  Scalars(Problems problems, UnaryOperator<String> environment) {
    this.problems = problems;
    this.environment = environment;
  }

  /** The text, with variables replaced; a variable that is not set is a problem. */
  String text(String path, ScalarNode node) {
    Matcher found = VARIABLE.matcher(node.getValue());
    StringBuilder text = new StringBuilder();
    while (found.find()) {
      found.appendReplacement(text, Matcher.quoteReplacement(replacement(path, node, found)));
    }
    return found.appendTail(text).toString();
  }

  private String replacement(String path, ScalarNode node, Matcher found) {
    String name = found.group(1);
    if (name == null) {
      return "${";
    }
    String value = environment.apply(name);
    if (value == null) {
      value = found.group(2);
    }
    if (value == null) {
      problems.add(
          node,
          "%s names the environment variable %s, which is not set; set it, or write ${%s:default}"
              .formatted(path, name, name));
      return "";
    }
    return value;
  }

  /** Whether it is taken from the environment. */
  static boolean hasVariable(ScalarNode node) {
    Matcher found = VARIABLE.matcher(node.getValue());
    return found.find() && found.group(1) != null;
  }

  Optional<Duration> duration(String path, ScalarNode node, String text) {
    Matcher parts = DURATION.matcher(text.strip());
    if (!parts.matches()) {
      return wrong(path, node, text, "a time such as 500ms, 30s, 5m, 1h or 7d");
    }
    long amount = Long.parseLong(parts.group(1));
    try {
      return Optional.of(
          switch (parts.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
          });
    } catch (ArithmeticException | DateTimeException e) {
      return wrong(path, node, text, "a shorter time");
    }
  }

  Optional<Long> bytes(String path, ScalarNode node, String text) {
    Matcher parts = SIZE.matcher(text.strip());
    if (!parts.matches()) {
      return wrong(path, node, text, "a size such as 512KiB or 32MiB");
    }
    String unit = parts.group(2) == null ? "B" : parts.group(2);
    long factor =
        switch (unit) {
          case "KiB" -> 1L << 10;
          case "MiB" -> 1L << 20;
          case "GiB" -> 1L << 30;
          default -> 1;
        };
    return Optional.of(Math.multiplyExact(Long.parseLong(parts.group(1)), factor));
  }

  Optional<Integer> integer(String path, ScalarNode node, String text) {
    try {
      return Optional.of(Integer.valueOf(text.strip()));
    } catch (NumberFormatException e) {
      return wrong(path, node, text, "a whole number");
    }
  }

  Optional<Double> number(String path, ScalarNode node, String text) {
    try {
      return Optional.of(Double.valueOf(text.strip()));
    } catch (NumberFormatException e) {
      return wrong(path, node, text, "a number");
    }
  }

  Optional<Boolean> bool(String path, ScalarNode node, String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "true" -> Optional.of(true);
      case "false" -> Optional.of(false);
      default -> wrong(path, node, text, "true or false");
    };
  }

  /** A text of the environment may be a secret, so it is not repeated. */
  private <T> Optional<T> wrong(String path, ScalarNode node, String text, String expected) {
    String found =
        hasVariable(node) ? "what " + node.getValue() + " stands for" : "\"" + text + "\"";
    problems.add(node, "%s was %s but must be %s".formatted(path, found, expected));
    return Optional.empty();
  }
}
