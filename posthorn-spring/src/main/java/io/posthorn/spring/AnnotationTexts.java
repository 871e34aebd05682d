/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Reads the texts in annotations, and notes those that cannot be read. */
final class AnnotationTexts {
  private final BeanFactory beans;
  private final List<String> problems;

  AnnotationTexts(BeanFactory beans, List<String> problems) {
    this.beans = beans;
    this.problems = problems;
  }

  /**
   * Fills in placeholders.
   *
   * @param where says whose text it is
   */
  String resolve(String where, String text) {
    if (!text.contains("${") || !(beans instanceof ConfigurableBeanFactory factory)) {
      return text;
    }
    try {
      @Nullable String resolved = factory.resolveEmbeddedValue(text);
      if (resolved != null && !resolved.contains("${")) {
        return resolved;
      }
    } catch (IllegalArgumentException e) {
      // Strict resolvers throw where lenient ones leave the placeholder: both are told below.
    }
    problems.add(
        "%s was \"%s\" but not every placeholder in it has a value; define the property, or give a default as in ${name:value}"
            .formatted(where, text));
    return text;
  }

  /** Empty if it cannot be read; then a problem was noted. */
  Optional<Duration> duration(String where, String text) {
    int before = problems.size();
    String resolved = resolve(where, text).strip();
    if (problems.size() > before) {
      return Optional.empty();
    }
    Duration duration = parsed(resolved);
    if (duration == null) {
      problems.add(
          "%s was \"%s\" but must be a time with a unit, such as 500ms, 30s, 5m, 1h30m or PT30S"
              .formatted(where, resolved));
    } else if (duration.isNegative() || duration.compareTo(RetryPolicy.LONGEST_DELAY) > 0) {
      problems.add("%s was \"%s\" but must be between 0s and 100 years".formatted(where, resolved));
      return Optional.empty();
    }
    return Optional.ofNullable(duration);
  }

  /** A number alone is refused: some would read it as seconds, Spring as milliseconds. */
  private static @Nullable Duration parsed(String text) {
    if (text.chars().noneMatch(Character::isLetter) || text.chars().noneMatch(Character::isDigit)) {
      return null;
    }
    try {
      return DurationFormatterUtils.detectAndParse(text);
    } catch (IllegalArgumentException | ArithmeticException e) {
      return null;
    }
  }
}
