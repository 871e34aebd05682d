/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the command line. All problems are collected, so that they are mended in one go. */
final class Arguments {
  private static final List<String> OPTIONS =
      List.of("--duration", "--rate", "--database", "--jdbc-url", "--json");
  private static final Pattern TIME = Pattern.compile("([0-9]{1,5})(s|m)");
  private static final Duration SHORTEST = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final int HIGHEST_RATE = 20_000;

  private final List<String> problems = new ArrayList<>();
  private final Map<String, String> given = new HashMap<>();

  Arguments(List<String> words) {
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      int equals = word.indexOf('=');
      String option = equals < 0 ? word : word.substring(0, equals);
      if (!OPTIONS.contains(option)) {
        problems.add(
            "argument %d was \"%s\" but must be one of %s"
                .formatted(i + 1, option, String.join(", ", OPTIONS)));
      } else if (equals >= 0) {
        put(option, word.substring(equals + 1));
      } else if (i + 1 < words.size()) {
        put(option, words.get(++i));
      } else {
        problems.add(option + " was the last word but needs a value after it");
      }
    }
  }

  private void put(String option, String value) {
    if (given.put(option, value) != null) {
      problems.add(option + " was given twice; give it once");
    }
  }

  /** What is wrong, one sentence each; to be asked after {@link #settings}. */
  List<String> problems() {
    return List.copyOf(problems);
  }

  /** The settings; those with a problem have their defaults. */
  Settings settings() {
    return new Settings(duration(), rate(), product(), given.get("--jdbc-url"), json());
  }

  private Duration duration() {
    String text = given.getOrDefault("--duration", Settings.DEFAULT_DURATION.toSeconds() + "s");
    Matcher matcher = TIME.matcher(text);
    if (!matcher.matches()) {
      return refused(
          "--duration was \"%s\" but must be a whole number with its unit, such as 30s or 2m"
              .formatted(text),
          Settings.DEFAULT_DURATION);
    }
    long number = Long.parseLong(matcher.group(1));
    Duration duration =
        matcher.group(2).equals("m") ? Duration.ofMinutes(number) : Duration.ofSeconds(number);
    if (duration.compareTo(SHORTEST) < 0 || duration.compareTo(LONGEST) > 0) {
      return refused(
          "--duration was \"%s\" but must be between 5s and 60m".formatted(text),
          Settings.DEFAULT_DURATION);
    }
    return duration;
  }

  private int rate() {
    String text = given.getOrDefault("--rate", Integer.toString(Settings.DEFAULT_RATE));
    int rate = text.matches("[0-9]{1,6}") ? Integer.parseInt(text) : 0;
    if (rate < 1 || rate > HIGHEST_RATE) {
      return refused(
          "--rate was \"%s\" but must be a whole number of messages a second, 1 to %d"
              .formatted(text, HIGHEST_RATE),
          Settings.DEFAULT_RATE);
    }
    return rate;
  }

  /** The URL tells it too. */
  private Product product() {
    String url = given.get("--jdbc-url");
    String word = given.get("--database");
    Optional<Product> ofUrl = url == null ? Optional.empty() : Product.ofUrl(url);
    Optional<Product> ofWord = word == null ? Optional.empty() : Product.ofWord(word);
    if (url != null && ofUrl.isEmpty()) {
      problems.add(
          "--jdbc-url must name a database of %s, such as \"jdbc:postgresql://localhost:5432/shop?user=me\""
              .formatted(Product.words()));
    } else if (word != null && ofWord.isEmpty()) {
      problems.add("--database was \"%s\" but must be one of %s".formatted(word, Product.words()));
    } else if (url != null && word != null && !ofUrl.equals(ofWord)) {
      problems.add(
          "--database was \"%s\" but --jdbc-url is of another; leave it out".formatted(word));
    }
    return ofUrl.or(() -> ofWord).orElse(Product.POSTGRESQL);
  }

  private @Nullable Path json() {
    String text = given.get("--json");
    if (text == null) {
      return null;
    }
    try {
      Path file = Path.of(text);
      Path directory = file.toAbsolutePath().getParent();
      if (text.isEmpty() || Files.isDirectory(file)) {
        problems.add("--json was \"%s\" but must be a file".formatted(text));
      } else if (directory != null && !Files.isDirectory(directory)) {
        problems.add(
            "--json was \"%s\" but the directory \"%s\" does not exist; create it"
                .formatted(text, directory));
      }
      return file;
    } catch (InvalidPathException e) {
      problems.add("--json was \"%s\" but must be a file: %s".formatted(text, e.getReason()));
      return null;
    }
  }

  private <T> T refused(String problem, T instead) {
    problems.add(problem);
    return instead;
  }
}
