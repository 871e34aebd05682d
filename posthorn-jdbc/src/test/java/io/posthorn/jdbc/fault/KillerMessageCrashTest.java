/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.test.StoredRows;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A message that kills its JVM is isolated: real processes, restarted whenever they die. */
class KillerMessageCrashTest {
  /** Two raise the alarm, at one more it is found under way, three are its attempts. */
  private static final int MOST_DEATHS = 2 + 1 + 3;

  private final LiveDatabase database = LiveDatabase.onSharedServer();
  private final HikariDataSource pool = database.pool("test", 4);
  private final JdbcTransactions transactions = new JdbcTransactions(pool);
  private final Receipts receipts = Receipts.createIn(database);
  private final Await await = new Await(this::evidence);
  private SecondJvm jvm;

  @AfterEach
  void stop() {
    jvm.close();
    database.close();
  }

  private UUID publish(Posthorn publisher, String key, String payload) throws Exception {
    Message message = Message.of("order").key(key).payload(payload).build();
    return transactions.call(connection -> publisher.outbox().publish(message));
  }

  private String evidence() {
    return database.describe() + "\n" + jvm;
  }

  private boolean done() {
    return database.number("SELECT count(*) FROM outbox_message") == 0
        && database.number("SELECT count(*) FROM outbox_deferred") == 0;
  }

  @Test
  void theFleetSurvivesAMessageThatKillsItsJvm() throws Exception {
    List<UUID> innocent = new ArrayList<>();
    UUID killer;
    try (Posthorn publisher =
        Posthorn.publishOnly(LiveDatabase.store(pool).build(), transactions).build()) {
      for (int i = 0; i < 30; i++) {
        innocent.add(publish(publisher, "key-" + i % 10, "fine"));
      }
      killer = publish(publisher, "deadly", "kill");
      for (int i = 0; i < 30; i++) {
        innocent.add(publish(publisher, i % 3 == 0 ? "deadly" : "key-" + i % 10, "fine"));
      }
    }
    int deaths = 0;
    jvm = SecondJvm.relay(database, "life-0");
    while (deaths <= MOST_DEATHS) {
      SecondJvm living = jvm;
      await.until("it dies, or all is done", () -> !living.alive() || done());
      if (living.alive()) {
        break;
      }
      deaths++;
      jvm = SecondJvm.relay(database, "life-" + deaths);
    }

    assertThat(deaths).isBetween(3, MOST_DEATHS);
    assertThat(database.rows().dead())
        .extracting(StoredRows.Dead::error)
        .singleElement()
        .asString()
        .contains("the process ended while handler \"shipping\" was at work on this message");
    assertThat(database.list("SELECT id::text FROM outbox_dead"))
        .containsExactly(killer.toString());
    assertThat(innocent)
        .allSatisfy(id -> assertThat(receipts.of(id)).as("receipts of %s", id).isNotEmpty());
    await.until(
        "no partition is under suspicion any more",
        () -> database.number("SELECT sum(crashes) FROM outbox_partition") == 0);
  }
}
