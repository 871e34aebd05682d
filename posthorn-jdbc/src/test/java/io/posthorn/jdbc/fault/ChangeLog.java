/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import java.util.List;

/** Triggers that write down who changed which row of the outbox. */
final class ChangeLog {
  private final LiveDatabase database;

  private ChangeLog(LiveDatabase database) {
    this.database = database;
  }

  static ChangeLog createIn(LiveDatabase database) {
    database.execute(
        "CREATE TABLE changes (n bigserial PRIMARY KEY, application text, table_name text, change text, old_row jsonb, new_row jsonb)");
    database.execute(
        """
        CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO changes (application, table_name, change, old_row, new_row)
          VALUES (current_setting('application_name'), TG_TABLE_NAME, TG_OP, to_jsonb(OLD), to_jsonb(NEW));
          RETURN NULL;
        END $$
        """);
    for (String table :
        List.of("message", "deferred", "dead", "partition", "instance", "heartbeat")) {
      database.execute(
          "CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON outbox_%s FOR EACH ROW EXECUTE FUNCTION note_change()"
              .formatted(table));
    }
    return new ChangeLog(database);
  }

  /** How far the log goes now. */
  long position() {
    return database.number("SELECT coalesce(max(n), 0) FROM changes");
  }

  /**
   * What an application changed after a position, until it joined again; everything if it has not.
   */
  List<String> changesBeforeJoining(String application, long after) {
    return database.list(
        """
        SELECT concat_ws(' ', n, change, table_name, old_row, new_row) FROM changes
         WHERE application = '%1$s' AND n > %2$d
           AND n < (SELECT coalesce(min(n), 9223372036854775807) FROM changes
                     WHERE application = '%1$s' AND n > %2$d AND table_name = 'outbox_instance' AND change = 'INSERT')
         ORDER BY n
        """
            .formatted(application, after));
  }

  /** Incarnations with which an application has joined, in order. */
  List<Long> incarnations(String application) {
    return database
        .list(
            "SELECT new_row ->> 'incarnation' FROM changes WHERE application = '%s' AND table_name = 'outbox_instance' AND change = 'INSERT' ORDER BY n"
                .formatted(application))
        .stream()
        .map(Long::valueOf)
        .toList();
  }
}
