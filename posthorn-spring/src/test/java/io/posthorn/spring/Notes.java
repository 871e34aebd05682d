/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.util.ArrayList;
import java.util.List;

/** A bean in which handlers of tests write down what they got. One thread only. */
class Notes {
  private final List<String> lines = new ArrayList<>();

  void add(String line) {
    lines.add(line);
  }

  List<String> lines() {
    return List.copyOf(lines);
  }
}
