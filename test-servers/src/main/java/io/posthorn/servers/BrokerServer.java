/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

/** A message broker. */
public interface BrokerServer extends Server {

  /** Lets it stand still with SIGSTOP: connections stay open, and nothing is answered. */
  void freeze();

  /** Lets it go on after {@link #freeze}. */
  void thaw();
}
