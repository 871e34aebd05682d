/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import java.util.List;

/**
 * The settings, or the tables they point to, do not fit. All problems are reported together.
 *
 * @since 0.1
 */
public final class ConfigurationException extends PosthornException {
  private static final long serialVersionUID = 1L;

  /** Strings only, in an unmodifiable list. */
  @SuppressWarnings("serial")
  private final List<String> problems;

  public ConfigurationException(List<String> problems) {
    super(
        problems.size() == 1
            ? problems.get(0)
            : problems.size() + " problems:\n - " + String.join("\n - ", problems));
    this.problems = List.copyOf(problems);
  }

  /** One sentence a problem, in the order they were found. */
  public List<String> problems() {
    return problems;
  }
}
