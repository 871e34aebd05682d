/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

/** A database server that is reached by JDBC. */
public interface DatabaseServer extends Server {

  /** The same from construction to {@link #close()}. */
  int port();

  /** The URL of a database; it names the user. */
  String jdbcUrl(String database);

  /** Ends it as a crash would, so that the next {@link #start()} recovers. */
  default void crash() {
    kill();
  }
}
