/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.test.StoreAssert;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Rows that nobody takes where they are wait without being written. */
class UnclaimedRowsDbTest extends OneDatabase {
  private static final int KEYS = 40;

  private final List<UUID> published = new ArrayList<>();

  private SteppedRelay mailer(String name, String... types) {
    return relay(
        name,
        builder -> {
          HandlerSpec<String> spec = HandlerSpec.of(HANDLER, TYPE, String.class, (text, it) -> {});
          for (String type : types) {
            spec = spec.alsoType(type);
          }
          builder.handler(spec);
        });
  }

  private void publishToAllKeys(String type) throws Exception {
    for (int i = 0; i < KEYS; i++) {
      Message message = Message.of(type).key("key-" + i).payload("{}").build();
      published.add(transactions.call(connection -> publisher.outbox().publish(message)));
    }
  }

  private void together(int seconds, SteppedRelay... relays) {
    together(seconds, Duration.ofSeconds(1), relays);
  }

  private void together(int steps, Duration step, SteppedRelay... relays) {
    for (int i = 0; i < steps; i++) {
      database.clock().advance(step);
      for (SteppedRelay relay : relays) {
        relay.drain();
      }
    }
  }

  /** Which version of each deferred row there is: an update makes another one. */
  private List<String> versions() throws Exception {
    List<String> versions = new ArrayList<>();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT handler || ' ' || seq || ' ' || xmin || ' ' || ctid FROM outbox_deferred ORDER BY 1")) {
      while (rows.next()) {
        versions.add(rows.getString(1));
      }
    }
    return versions;
  }

  private static List<UUID> deliveredBy(SteppedRelay relay) {
    return relay.log().delivered().stream().map(Delivery::messageId).toList();
  }

  @Test
  void rowsOfAnUnknownTypeAreNotWrittenWhileTheyWait() throws Exception {
    SteppedRelay relay = mailer("a");
    publishToAllKeys("unknown");
    together(2, relay);
    List<String> before = versions();
    together(26, Duration.ofSeconds(5), relay);

    assertThat(before).hasSize(KEYS);
    assertThat(versions()).isEqualTo(before);
  }

  @Test
  void norAreThoseOfATypeThatTheHandlerTakesInAnotherVersion() throws Exception {
    SteppedRelay old = mailer("old");
    together(2, old);
    SteppedRelay fresh = mailer("fresh", "added");
    together(3, old, fresh);
    publishToAllKeys("added");
    together(7, Duration.ofSeconds(5), old, fresh);
    List<String> before = versions();
    together(26, Duration.ofSeconds(5), old, fresh);
    assertThat(before).isNotEmpty();
    assertThat(versions()).isEqualTo(before);

    old.close();
    together(3, fresh);
    assertThat(deliveredBy(fresh)).containsExactlyInAnyOrderElementsOf(published);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void norAreThoseThatAGenericHandlerElsewhereMayWant() throws Exception {
    SteppedRelay old = mailer("old");
    together(2, old);
    SteppedRelay fresh =
        relay(
            "fresh",
            builder -> builder.handler(HandlerSpec.generic("all", any -> true, (bytes, it) -> {})));
    together(3, old, fresh);
    publishToAllKeys("added");
    together(7, Duration.ofSeconds(5), old, fresh);
    List<String> before = versions();
    together(26, Duration.ofSeconds(5), old, fresh);
    assertThat(before).isNotEmpty();
    assertThat(versions()).isEqualTo(before);

    old.close();
    together(3, fresh);
    assertThat(deliveredBy(fresh)).containsExactlyInAnyOrderElementsOf(published);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aTypeThatBecomesKnownIsDeliveredSoon() throws Exception {
    SteppedRelay old = mailer("old");
    publishToAllKeys("unknown");
    together(5, old);
    SteppedRelay fresh = mailer("fresh", "unknown");
    together(4, old, fresh);
    assertThat(deliveredBy(fresh)).as("of its own partitions").isNotEmpty();
    assertThat(database.rows().deferred())
        .as("of the other partitions: they are for the handler that has come")
        .isNotEmpty()
        .allMatch(row -> row.handler().equals(HANDLER));
    old.close();
    together(3, fresh);

    assertThat(deliveredBy(fresh)).containsExactlyInAnyOrderElementsOf(published);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }
}
