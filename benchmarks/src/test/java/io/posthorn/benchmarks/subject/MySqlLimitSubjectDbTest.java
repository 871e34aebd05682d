/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import io.posthorn.servers.MySqlServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;

@Tag("long")
@EnabledIf("io.posthorn.servers.MySqlServer#mySqlRuns")
class MySqlLimitSubjectDbTest extends SubjectContract {
  @Override
  Subjects subject() {
    return Subjects.LIMIT;
  }

  @Override
  String freshDatabase() {
    return MySqlServer.sharedMySql().freshDatabase();
  }
}
