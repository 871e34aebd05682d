/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.sql.SQLException;

/** What all kinds of runs end with. */
final class Runs {
  private Runs() {}

  /** Checks a run of writers; its relay has been stopped. */
  static Outcome judge(Stage stage, Writers writers, NumberLog handled) throws SQLException {
    // Numbers that no writer reached count as handled nowhere and pending nowhere, so they are
    // taken off.
    long unused = writers.numbersUsed() - writers.committed().size();
    Audit audit =
        Audit.of(writers.numbersUsed(), writers.numbering(), handled, stage.pending() + unused);
    return Outcome.of(audit, stage.subject().keepsOrder());
  }

  /**
   * Checks the drain of a backlog; its relay has been stopped.
   *
   * @param clutter how many further messages wait in the tables
   */
  static Outcome judgeDrain(Stage stage, int messages, NumberLog handled, long clutter)
      throws SQLException {
    Audit audit = Audit.of(messages, Backlog.NUMBERING, handled, stage.pending() - clutter);
    return Outcome.of(audit, stage.subject().keepsOrder());
  }
}
