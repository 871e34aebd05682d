/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.InboxTable;
import org.junit.jupiter.api.Test;

class PostgresInboxTableDbTest extends InboxTableContract {
  @Override
  TestDatabase database() {
    return TestDatabase.postgres();
  }

  @Test
  void processesOnOneTableShareACacheAndThoseOnATableThatWasCreatedAnewDoNot() {
    try (TestDatabase database = database()) {
      InboxTable first = database.table().build();
      InboxTable second = database.table().build();
      assertThat(first.identity()).isEqualTo(second.identity());

      database.execute("DROP TABLE inbox_message");
      assertThat(database.table().build().identity()).isNotEqualTo(first.identity());
    }
  }

  @Test
  void anyUserMayAskWhichTableItIs() {
    try (TestDatabase database = database()) {
      InboxTable table = database.table().build();
      String identity = table.identity();
      String query = new io.posthorn.jdbc.PostgresDialect().identity("inbox_message").orElseThrow();
      database.execute("CREATE ROLE inbox_reader");
      try {
        database.execute(
            "GRANT SELECT ON inbox_message TO inbox_reader; SET ROLE inbox_reader; DO $$ BEGIN IF (%s) <> '%s' THEN RAISE 'another'; END IF; END $$; RESET ROLE"
                .formatted(query, identity));
      } finally {
        database.execute("RESET ROLE; DROP OWNED BY inbox_reader; DROP ROLE inbox_reader");
      }
    }
  }
}
