/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.fixture.UnusualServers;
import io.posthorn.servers.MySqlServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

@Tag("long")
@EnabledIf("io.posthorn.servers.MySqlServer#mySqlRuns")
class MySqlServerProblemsDbTest extends MySqlServerProblemsContract {
  @Override
  MySqlServer server() {
    return UnusualServers.mySql();
  }

  /** The driver of MariaDB closes such a connection by itself. */
  @Test
  void sessionsWithAnotherCharacterSetAreRefused() {
    assertThat(problemsAfter("SET NAMES latin1"))
        .singleElement()
        .asString()
        .contains("character_set_client was latin1", "must be utf8mb4", "characterEncoding");
  }
}
