/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

/** What was done, by which publisher or at which gate; the first one is 1. */
record GateAction(Kind kind, int number) {

  /** The alphabet of the gates. {@code %d} is the number. */
  enum Kind {
    ENTER("publisher %d enters a gate"),
    DRAW("publisher %d draws its seq"),
    COMMIT("the commit of publisher %d shows"),
    ROLL_BACK("publisher %d rolls back"),
    LEAVE("publisher %d leaves its gate"),
    ASK("the reader looks at gate %d"),
    READ("the reader reads the rows");

    private final String story;

    Kind(String story) {
      this.story = story;
    }
  }

  @Override
  public String toString() {
    return kind.story.formatted(number + 1);
  }
}
