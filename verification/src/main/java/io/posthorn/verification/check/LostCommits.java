/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Truth;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * What a database has lost that went on from an older state. The business table says what that is:
 * a message and its business row are lost together. Relays may still know such a message for a
 * while, and epochs begin again.
 */
final class LostCommits {
  /** The longest lease: by then every relay has heard from the database, or has stopped. */
  static final long MEMORY = 8_000;

  /** A commit that was asked for before may have been carried out after the loss had begun. */
  private static final long COMMIT_SLACK = 5_000;

  private static final long EPOCHS_OF_AN_ERA = 1_000_000_000;

  private final Map<UUID, Truth.Missing> missing;
  private final List<Fault> losses;
  private final List<Fault> promotions;

  LostCommits(Map<UUID, Truth.Missing> missing, List<Fault> faults) {
    this.missing = missing;
    this.losses = faults.stream().filter(fault -> fault.kind().losesCommits()).toList();
    this.promotions =
        faults.stream().filter(fault -> fault.kind() == Fault.Kind.PROMOTION).toList();
  }

  /** Confirmed, gone, and no fault explains it. */
  List<Truth.Missing> unexplained() {
    return missing.values().stream()
        .filter(it -> it.confirmed() && losses.stream().noneMatch(loss -> took(loss, it)))
        .toList();
  }

  private static boolean took(Fault loss, Truth.Missing message) {
    return loss.from() - COMMIT_SLACK <= message.askedAt() && message.askedAt() <= loss.to();
  }

  /** Whether it may have been committed and lost. */
  boolean contains(UUID id) {
    Truth.Missing message = missing.get(id);
    return message != null && lossesOf(message).anyMatch(loss -> took(loss, message));
  }

  /**
   * When its postmaster dies, a server shows commits that wait for the standby, for a moment, and
   * confirms them to nobody (SyncRepWaitForLSN).
   */
  private Stream<Fault> lossesOf(Truth.Missing message) {
    return message.confirmed()
        ? losses.stream()
        : Stream.concat(losses.stream(), promotions.stream());
  }

  /** Whether it is of a message that was lost, and of a relay that could not know that yet. */
  boolean explains(Receipt receipt) {
    Truth.Missing message = missing.get(receipt.id());
    return message != null
        && lossesOf(message)
            .anyMatch(loss -> took(loss, message) && receipt.millis() <= loss.to() + MEMORY);
  }

  /** Whether the database may have lost what came of this. */
  boolean took(Receipt receipt) {
    return losses.stream()
        .anyMatch(
            loss ->
                loss.from() - COMMIT_SLACK <= receipt.millis() && receipt.millis() <= loss.to());
  }

  /** Whether relays may not know yet to whom partitions belong. */
  boolean unsettled(long millis) {
    return losses.stream().anyMatch(loss -> loss.from() <= millis && millis <= loss.to() + MEMORY);
  }

  /** Epochs that were lost are drawn again: later ones count more all the same. */
  Receipt rank(Receipt receipt) {
    long era = losses.stream().filter(loss -> loss.to() <= receipt.millis()).count();
    return era == 0 ? receipt : receipt.withEpoch(era * EPOCHS_OF_AN_ERA + receipt.epoch());
  }
}
