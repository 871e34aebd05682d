/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.H2Dialect;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.fixture.TestDatabase;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a dialect warns of is logged when a store is opened, which goes on. */
class OpeningWarningTest {
  private static final class Warning extends H2Dialect {
    @Override
    public List<String> warnings(Connection connection) {
      return List.of("the server is one of several {0}");
    }
  }

  @Test
  void warningIsLoggedAndTheStoreIsOpened() {
    try (TestDatabase database = TestDatabase.h2();
        CapturedLogs logs = new CapturedLogs()) {
      JdbcMessageStore store =
          JdbcMessageStore.builder(database.dataSource()).dialect(new Warning()).build();

      assertThat(store.open()).isEqualTo(64);
      assertThat(logs.lines())
          .filteredOn(line -> line.contains("one of several"))
          .singleElement()
          .asString()
          .contains("WARNING", "the server is one of several {0}");
    }
  }
}
