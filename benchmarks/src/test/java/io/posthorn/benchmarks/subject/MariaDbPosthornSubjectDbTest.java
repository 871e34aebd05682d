/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import io.posthorn.servers.MySqlServer;
import org.junit.jupiter.api.Tag;

@Tag("long")
class MariaDbPosthornSubjectDbTest extends SubjectContract {
  @Override
  Subjects subject() {
    return Subjects.POSTHORN;
  }

  @Override
  String freshDatabase() {
    return MySqlServer.sharedMariaDb().freshDatabase();
  }
}
