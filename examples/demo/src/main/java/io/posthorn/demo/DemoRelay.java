/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import java.time.Duration;
import javax.sql.DataSource;

/** Builds the outbox that all processes of the demo share. */
final class DemoRelay {
  /**
   * Short, so that the take-over is seen; long enough that a busy machine does not lose it by
   * itself.
   */
  static final Duration LEASE = Duration.ofSeconds(5);

  private static final Duration HEARTBEAT = Duration.ofSeconds(1);

  /** Short, because the outage is. */
  private static final Duration PROBE = Duration.ofMillis(250);

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);
  private static final int WORKERS = 8;

  private DemoRelay() {}

  /** Starts a relay; what the outbox of it publishes goes with these transactions. */
  static Posthorn start(
      DataSource dataSource,
      JdbcTransactions transactions,
      ReceiptWriter receipts,
      MailServer mailServer) {
    DemoHandlers handlers = new DemoHandlers(receipts, mailServer);
    return Posthorn.inOneProcess(DemoTables.store(dataSource), transactions)
        .handler(handlers.mailer())
        .handler(handlers.ledger())
        .listener(handlers)
        .relay(
            relay ->
                relay
                    .name(receipts.relay())
                    .leaseDuration(LEASE)
                    .heartbeatInterval(HEARTBEAT)
                    .workers(WORKERS)
                    .probeInterval(PROBE)
                    .stopTimeout(STOP_TIMEOUT))
        .start();
  }
}
