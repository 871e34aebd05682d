/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

/** Options for tests of what is inside the engine. */
public final class RelayOptionsFixture {
  private RelayOptionsFixture() {}

  /** What a relay has that is not told otherwise. */
  public static RelayOptions standard() {
    return new RelayOptions();
  }
}
