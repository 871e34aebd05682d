/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

/**
 * One life of one relay.
 *
 * @param id the relay's name
 * @param incarnation drawn by the database at each join, never used again
 * @since 0.1
 */
public record RelayIdentity(String id, long incarnation) implements Comparable<RelayIdentity> {
  public RelayIdentity {
    requireNonNull(id, "id");
  }

  @Override
  public int compareTo(RelayIdentity other) {
    return Long.compare(incarnation, other.incarnation);
  }

  @Override
  public String toString() {
    return id + "#" + incarnation;
  }
}
