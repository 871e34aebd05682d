/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.Delivery;
import io.posthorn.DestinationDownException;
import io.posthorn.verification.database.TestedDatabase;
import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Receiver;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/** What handlers do with a message, as its nature says. */
final class Conduct {
  private static final int EXIT_STATUS = 78;

  private final TestedDatabase database;
  private final Ledger ledger;
  private final Destination destination;

  Conduct(TestedDatabase database, Ledger ledger, Destination destination) {
    this.database = database;
    this.ledger = ledger;
    this.destination = destination;
  }

  /**
   * @return what came of it; a transaction may have failed although nothing is thrown
   */
  Receipt.Kind act(Receiver receiver, Delivery delivery) throws SQLException, InterruptedException {
    if (receiver.hasDestination() && destination.isDown()) {
      throw new DestinationDownException("down, as planned", null);
    }
    Nature nature = Contents.nature(delivery.headers());
    boolean first = delivery.attempt() == 1;
    if (receiver.isTransactional()) {
      Connection connection = ledger.book(delivery);
      behave(nature, first, false);
      return breakTransaction(connection, nature, first) ? Receipt.Kind.FAILED : Receipt.Kind.DONE;
    }
    behave(nature, first, receiver.isBatch());
    return Receipt.Kind.DONE;
  }

  private static void behave(Nature nature, boolean first, boolean inBatch)
      throws InterruptedException {
    switch (nature) {
      case SLOW -> TimeUnit.MILLISECONDS.sleep(50);
      case FAILS_ONCE -> failIf(first);
      case HANGS -> {
        failIf(first && inBatch); // else what the batch has done already would come again
        if (first) {
          TimeUnit.MINUTES.sleep(10); // until the relay interrupts it
        }
      }
      case POISON, INCURABLE -> failIf(true);
      case KILLER -> Runtime.getRuntime().halt(EXIT_STATUS);
      default -> {}
    }
  }

  private static void failIf(boolean now) {
    if (now) {
      throw new IllegalStateException("fails, as planned");
    }
  }

  private boolean breakTransaction(Connection connection, Nature nature, boolean first)
      throws SQLException {
    boolean aborts = nature == Nature.ABORTS || (first && nature == Nature.ABORTS_ONCE);
    boolean commitFails =
        nature == Nature.COMMIT_FAILS || (first && nature == Nature.COMMIT_FAILS_ONCE);
    if (aborts) {
      database.abort(connection);
    } else if (commitFails) {
      database.breakCommit(connection);
    }
    return aborts || commitFails;
  }
}
