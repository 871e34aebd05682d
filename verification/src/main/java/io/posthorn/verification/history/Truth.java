/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What was committed, by id. Where a publisher could not know, the business table decides.
 *
 * @param unknown how many transactions were looked up there
 * @param contradictions where a publisher knew something else than the database
 * @param taken whose key was taken, as publishers were told
 * @param missing what may have been committed, and is not in the business table
 */
public record Truth(
    Map<UUID, Committed> committed,
    int unknown,
    List<String> contradictions,
    Set<UUID> taken,
    Map<UUID, Missing> missing) {

  /**
   * A message that is to be delivered.
   *
   * @param askedAt when its commit was asked for, in milliseconds
   */
  public record Committed(Sent sent, long askedAt) {}

  /**
   * A message of which the business table knows nothing.
   *
   * @param askedAt when its commit was asked for, in milliseconds
   * @param confirmed whether its publisher was told that it was committed
   */
  public record Missing(Sent sent, long askedAt, boolean confirmed) {}

  /** Takes the lines of one process after the other. */
  public static final class Reader {
    private final Set<UUID> inDatabase;
    private final Map<UUID, Committed> committed = new LinkedHashMap<>();
    private final List<String> contradictions = new ArrayList<>();
    private final Set<UUID> taken = new HashSet<>();
    private final Map<UUID, Missing> missing = new HashMap<>();
    private int unknown;

    /**
     * @param inDatabase the ids that the business table has
     */
    public Reader(Set<UUID> inDatabase) {
      this.inDatabase = Set.copyOf(inDatabase);
    }

    private static final class Transaction {
      final List<Sent> sent = new ArrayList<>();
      long askedAt;
      String outcome = TruthLog.UNKNOWN;
    }

    public void read(List<String> lines) {
      Map<Long, Transaction> transactions = new HashMap<>();
      for (String line : lines) {
        String[] words = line.split(" ", -1);
        if (words.length < 3) {
          continue; // the process died in the middle of the line
        }
        Transaction transaction =
            transactions.computeIfAbsent(Long.parseLong(words[1]), any -> new Transaction());
        switch (words[0]) {
          case TruthLog.SENT -> transaction.sent.add(Sent.parse(words, 2));
          case TruthLog.TAKEN -> taken.add(UUID.fromString(words[3]));
          case TruthLog.ASKED -> transaction.askedAt = Long.parseLong(words[2]);
          default -> transaction.outcome = words[0];
        }
      }
      transactions.values().forEach(this::take);
    }

    private void take(Transaction transaction) {
      if (transaction.askedAt == 0) {
        return; // its commit was never asked for
      }
      boolean isUnknown = transaction.outcome.equals(TruthLog.UNKNOWN);
      unknown += isUnknown ? 1 : 0;
      boolean isConfirmed = transaction.outcome.equals(TruthLog.COMMITTED);
      boolean isRolledBack = transaction.outcome.equals(TruthLog.ROLLED_BACK);
      for (Sent sent : transaction.sent) {
        boolean there = inDatabase.contains(sent.id());
        if (there && isRolledBack) {
          contradictions.add(sent + " is rolled back for its publisher, and in the business table");
        }
        if (there) {
          committed.put(sent.id(), new Committed(sent, transaction.askedAt));
        } else if (!isRolledBack) {
          missing.put(sent.id(), new Missing(sent, transaction.askedAt, isConfirmed));
        }
      }
    }

    public Truth truth() {
      return new Truth(
          Map.copyOf(committed),
          unknown,
          List.copyOf(contradictions),
          Set.copyOf(taken),
          Map.copyOf(missing));
    }
  }
}
