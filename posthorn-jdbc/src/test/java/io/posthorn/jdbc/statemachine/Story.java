/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.statemachine;

import java.util.Map;

/** Something that happens to messages; it begins with empty tables. */
interface Story {
  void play(Stage stage) throws Exception;

  default Story then(Story next) {
    return stage -> {
      play(stage);
      next.play(stage);
    };
  }

  /** Stories by what they tell. */
  interface Book {
    Map<String, Story> stories();
  }
}
