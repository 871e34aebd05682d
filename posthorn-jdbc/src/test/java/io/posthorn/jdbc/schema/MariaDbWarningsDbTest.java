/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.servers.MySqlServer;
import java.sql.Connection;
import org.junit.jupiter.api.Test;

/** A server that is no cluster is not warned of. That each question is understood shows as well. */
class MariaDbWarningsDbTest {
  @Test
  void singleServerIsNoReasonForAWarning() throws Exception {
    try (TestDatabase database =
            TestDatabase.mySql(MySqlServer.sharedMariaDb(), config -> config.setMinimumIdle(1));
        Connection connection = database.dataSource().getConnection()) {
      assertThat(database.dialect().warnings(connection)).isEmpty();
    }
  }
}
