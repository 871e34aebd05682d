/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Copies the data directory of a running PostgreSQL, as backup tools do. */
final class DataCopy {
  private static final String LABEL = "backup_label";
  private static final String WRITE_AHEAD_LOG = "pg_wal";

  private DataCopy() {}

  /**
   * Copies the data and the log that makes them consistent. Whoever starts on the copy has all that
   * was committed before, and maybe some of what was committed meanwhile.
   *
   * @param target does not exist yet
   */
  static void make(Path data, int port, Path target) throws IOException {
    Path log = data.resolve(WRITE_AHEAD_LOG);
    Path label = data.resolve(LABEL + ".of_copy");
    try (PostgresWire wire = PostgresWire.connect(port, "postgres")) {
      wire.execute("SELECT pg_backup_start('copy', fast => true)");
      new FileTree(data).copyWhileInUse(target, log);
      wire.execute(
          """
          COPY (SELECT regexp_split_to_table(rtrim(labelfile, E'\\n'), E'\\n')
                  FROM pg_backup_stop(wait_for_archive => false)) TO '%s'
          """
              .formatted(label));
    }
    Files.move(label, target.resolve(LABEL));
    new FileTree(log).copyWhileInUse(target.resolve(WRITE_AHEAD_LOG), label);
    Files.deleteIfExists(target.resolve("postmaster.pid"));
  }
}
