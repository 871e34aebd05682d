/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the publishers of one process meant to do, and what they know of its outcome, outside the
 * database. Safe to share between threads.
 */
public final class TruthLog {
  static final String SENT = "sent";
  static final String ASKED = "asked";
  static final String COMMITTED = "committed";
  static final String ROLLED_BACK = "rolled-back";
  static final String UNKNOWN = "unknown";
  static final String BY_RELAY = "by-relay";
  static final String TAKEN = "taken";

  private final LogFile file;
  private final AtomicLong transactions = new AtomicLong();

  public TruthLog(Path path) throws IOException {
    this.file = new LogFile(path);
  }

  /** A number for the next transaction. */
  public long begin() {
    return transactions.incrementAndGet();
  }

  /** The commit is about to be asked for. Nothing of a transaction without this line is there. */
  public void asked(long transaction, List<Sent> messages) {
    StringBuilder lines = new StringBuilder();
    for (Sent message : messages) {
      lines.append("%s %d %s\n".formatted(SENT, transaction, message.words()));
    }
    note(lines, ASKED, transaction);
  }

  /** The commit was confirmed. */
  public void committed(long transaction) {
    note(new StringBuilder(), COMMITTED, transaction);
  }

  /** It was rolled back, or the database has refused the commit. */
  public void rolledBack(long transaction) {
    note(new StringBuilder(), ROLLED_BACK, transaction);
  }

  /** The connection broke while the commit was under way. */
  public void unknown(long transaction) {
    note(new StringBuilder(), UNKNOWN, transaction);
  }

  /** A handler has published in its transaction, which the relay commits or does not. */
  public void leftToRelay(long transaction) {
    note(new StringBuilder(), BY_RELAY, transaction);
  }

  /**
   * A publisher was told that its idempotency key is taken.
   *
   * @param by the message that was published before
   */
  public void taken(long transaction, String idempotencyKey, UUID by) {
    file.write("%s %d %s %s\n".formatted(TAKEN, transaction, idempotencyKey, by));
  }

  private void note(StringBuilder lines, String what, long transaction) {
    lines.append(what).append(' ').append(transaction).append(' ');
    lines.append(System.currentTimeMillis()).append('\n');
    file.write(lines.toString());
  }
}
