/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.failure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Outcomes that the database does not store though it is there. Issue 17, M8. */
@Timeout(120)
class UnstorableOutcomeDbTest extends OneDatabase {
  private void pass(SteppedRelay relay, Duration time) {
    for (Duration left = time; !left.isZero(); left = left.minusMillis(100)) {
      database.clock().advance(Duration.ofMillis(100));
      relay.drain();
    }
  }

  private void publishKeys(int count) throws Exception {
    for (int i = 1; i <= count; i++) {
      publish("k" + i);
    }
  }

  private void keepByTrigger(String key) {
    database.execute(
        """
        CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF OLD.message_key = '%s' THEN RAISE EXCEPTION 'kept by a trigger'; END IF;
          RETURN OLD;
        END $$
        """
            .formatted(key));
    database.execute(
        "CREATE TRIGGER keeping BEFORE DELETE ON outbox_message FOR EACH ROW EXECUTE FUNCTION keep()");
  }

  @Test
  void oneMessageThatATriggerKeepsHoldsUpNoneOfAHundredOthers() throws Exception {
    publishKeys(101);
    keepByTrigger("k40");
    SteppedRelay relay = relay("a");

    relay.drain();
    pass(relay, Duration.ofSeconds(2));

    assertThat(relay.log().delivered()).hasSize(101);
    assertThat(database.rows().ready()).extracting(StoredRows.Ready::key).containsExactly("k40");
    publishKeys(3);
    relay.drain();
    assertThat(database.rows().ready()).as("later ones are settled as ever").hasSize(1);

    database.execute("DROP TRIGGER keeping ON outbox_message");
    pass(relay, Duration.ofSeconds(2));

    StoreAssert.assertThat(database.rows()).hasNoMessages();
    assertThat(relay.log().delivered()).as("none was delivered again").hasSize(104);
  }

  @Test
  void whatCannotBeSettledForWantOfRightsIsSettledWhenTheyComeBack() throws Exception {
    publishKeys(101);
    try (RoleWithoutRights role = new RoleWithoutRights()) {
      SteppedRelay relay = role.relay();
      role.may(false);
      relay.drain();
      pass(relay, Duration.ofSeconds(5));
      assertThat(relay.log().delivered()).hasSize(101);
      assertThat(database.rows().ready()).hasSize(101);

      role.may(true);
      pass(relay, Duration.ofSeconds(3));

      StoreAssert.assertThat(database.rows()).hasNoMessages();
      assertThat(relay.log().delivered()).as("none was delivered again").hasSize(101);
      relay.close();
    }
  }

  @Test
  void anOutcomeWhoseRowAnotherSessionKeepsLockedHoldsUpNoOther() throws Exception {
    publishKeys(4);
    SteppedRelay relay = relayWithLease(Duration.ofSeconds(1));
    try (Connection other = database.dataSource().getConnection();
        Statement lock = other.createStatement()) {
      other.setAutoCommit(false);
      lock.execute("SELECT 1 FROM outbox_message WHERE message_key = 'k3' FOR UPDATE");

      relay.drain(); // the server gives up waiting after half the lease, each time
      pass(relay, Duration.ofMillis(500));

      assertThat(database.rows().ready()).extracting(StoredRows.Ready::key).containsExactly("k3");
      other.rollback();
    }
    pass(relay, Duration.ofSeconds(2));

    StoreAssert.assertThat(database.rows()).hasNoMessages();
    assertThat(relay.log().delivered()).as("none was delivered again").hasSize(4);
  }

  private SteppedRelay relayWithLease(Duration lease) {
    return relay(
        "a",
        builder ->
            builder
                .handler(HANDLER, TYPE, String.class, (text, delivery) -> {})
                .relay(
                    options -> options.leaseDuration(lease).heartbeatInterval(lease.dividedBy(4))));
  }

  /** What relays connect as: a role that may lose the right to delete messages. */
  private final class RoleWithoutRights implements AutoCloseable {
    private final String name = "relay_" + UUID.randomUUID().toString().replace('-', '_');
    private final HikariDataSource pool = new HikariDataSource();

    RoleWithoutRights() {
      database.execute("CREATE ROLE " + name);
      database.execute(
          """
          DO $$ BEGIN
            EXECUTE format('GRANT USAGE ON SCHEMA %%I TO %1$s', current_schema());
            EXECUTE format('GRANT ALL ON ALL TABLES IN SCHEMA %%I TO %1$s', current_schema());
            EXECUTE format('GRANT ALL ON ALL SEQUENCES IN SCHEMA %%I TO %1$s', current_schema());
          END $$
          """
              .formatted(name));
      String url = ((HikariDataSource) database.dataSource()).getJdbcUrl();
      pool.setJdbcUrl(url + "&options=-c%20role=" + name);
      pool.setMaximumPoolSize(10);
      pool.setMinimumIdle(1);
    }

    SteppedRelay relay() {
      return UnstorableOutcomeDbTest.this.relay(
          "a",
          database.builder().relayDataSource(pool).build(),
          builder -> builder.handler(HANDLER, TYPE, String.class, (text, delivery) -> {}));
    }

    void may(boolean delete) {
      database.execute(
          (delete ? "GRANT DELETE ON outbox_message TO " : "REVOKE DELETE ON outbox_message FROM ")
              + name);
    }

    @Override
    public void close() {
      pool.close();
      database.execute("DROP OWNED BY " + name);
      database.execute("DROP ROLE " + name);
    }
  }
}
