/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.nio.file.Path;

/** A physical copy of a server's data, with all that was committed when it was made. */
public final class PostgresBackup implements AutoCloseable {
  private final Path directory;

  PostgresBackup(Path directory) {
    this.directory = directory;
  }

  Path data() {
    return Postmaster.dataIn(directory);
  }

  /** Deletes it. */
  @Override
  public void close() {
    try {
      new FileTree(directory).delete();
    } catch (IOException e) {
      throw new ServerException("Directory " + directory + " not deleted: delete it by hand", e);
    }
  }
}
