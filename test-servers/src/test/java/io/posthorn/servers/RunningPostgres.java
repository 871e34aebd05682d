/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;

/** A server's data directory and main process, as it tells them itself. */
record RunningPostgres(Path data, ProcessStamp postmaster) {

  static RunningPostgres at(String url) throws SQLException, IOException {
    Path data = Path.of(new Sql(url).value("SHOW data_directory"));
    long pid = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0));
    return new RunningPostgres(data, ProcessStamp.of(pid).orElseThrow());
  }
}
