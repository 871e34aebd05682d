/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import static java.util.stream.Collectors.groupingBy;

import io.posthorn.verification.history.History;
import io.posthorn.verification.history.Intervention.Kind;
import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.history.Sent;
import io.posthorn.verification.history.Truth;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/** The history of a run, as the checks ask for it. */
final class Evidence {
  private static final Set<Kind> MAKE_MISSING = EnumSet.of(Kind.CANCEL, Kind.RESOLVE, Kind.DELETE);

  private final Bounds bounds;
  private final History history;
  private final List<Fault> faults;
  private final LostCommits lost;
  private final List<Receipt> receipts;
  private final Map<Pair, List<Receipt>> byPair;
  private final OperatorActions operators;
  private final long end;

  /** What one handler has of one message. */
  record Pair(String handler, UUID id) {}

  Evidence(Bounds bounds, History history, List<Fault> faults) {
    this.bounds = bounds;
    this.history = history;
    this.faults = List.copyOf(faults);
    this.lost = new LostCommits(history.truth().missing(), faults);
    this.receipts = history.receipts().stream().map(lost::rank).toList();
    // The sort is stable: those of one epoch are of one life, and stay as they were written.
    this.byPair =
        receipts.stream()
            .sorted(Comparator.comparingLong(Receipt::epoch))
            .collect(groupingBy(receipt -> new Pair(receipt.handler(), receipt.id())));
    this.operators =
        new OperatorActions(
            history.interventions(), history.truth().committed(), this::mayHaveDied);
    this.end = history.receipts().stream().mapToLong(Receipt::millis).max().orElse(0);
  }

  Bounds bounds() {
    return bounds;
  }

  History history() {
    return history;
  }

  List<Fault> faults() {
    return faults;
  }

  Map<UUID, Truth.Committed> committed() {
    return history.truth().committed();
  }

  List<Receipt> receipts() {
    return receipts;
  }

  LostCommits lost() {
    return lost;
  }

  /** The receipts of each pair, by epoch and as they were written. */
  Map<Pair, List<Receipt>> receiptsByPair() {
    return byPair;
  }

  List<Receiver> receiversOf(Sent message) {
    return bounds.receivers().stream().filter(receiver -> receiver.takes(message)).toList();
  }

  boolean succeeded(Receiver receiver, Sent message) {
    return receiptsOf(receiver, message).anyMatch(receipt -> receipt.kind().isSuccess());
  }

  boolean has(Receiver receiver, Sent message, Receipt.Kind kind) {
    return receiptsOf(receiver, message).anyMatch(receipt -> receipt.kind() == kind);
  }

  private Stream<Receipt> receiptsOf(Receiver receiver, Sent message) {
    return byPair.getOrDefault(new Pair(receiver.label(), message.id()), List.of()).stream();
  }

  /** Whether its last attempt failed, or may have: nobody may have lived to tell. */
  private boolean mayHaveDied(Receiver receiver, Sent message) {
    return receiptsOf(receiver, message)
            .anyMatch(
                receipt ->
                    receipt.kind() == Receipt.Kind.GAVE_UP
                        || receipt.attempt() >= receiver.attempts())
        || diedUntold(receiver, message);
  }

  boolean dead(Receiver receiver, Sent message) {
    return history.rows().dead().getOrDefault(receiver.label(), Set.of()).contains(message.id());
  }

  /**
   * Whether it is a dead letter whose last attempt nobody lived to tell: the process that had it
   * was killed, and its attempt had been recorded before it began.
   */
  boolean diedUntold(Receiver receiver, Sent message) {
    String last =
        receiptsOf(receiver, message).reduce((any, next) -> next).map(Receipt::life).orElse("");
    return dead(receiver, message)
        && faults.stream()
            .anyMatch(fault -> fault.kind() == Fault.Kind.KILL && last.equals(fault.life()));
  }

  /** Whether nobody has to get it: it may have been dropped by rule, or by an operator. */
  boolean mayBeMissing(Receiver receiver, Sent message) {
    return mayHaveExpired(message) || operators.did(receiver, message, MAKE_MISSING);
  }

  boolean mayHaveExpired(Sent message) {
    return message.timing().expiresAt() <= end;
  }

  OperatorActions operators() {
    return operators;
  }
}
