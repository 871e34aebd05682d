/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.Delivery;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message in memory for one handler. Its row is a ready one, shared with the other handlers of
 * the message, or a deferred one of its own. What is not final is guarded by the memory's lock.
 */
public final class LaneEntry {
  private final HeldPartition partition;
  private final StoredMessage message;
  private final Lane lane;
  private final int attempts;
  private final @Nullable String lastError;
  private final String rowHandler;
  private final boolean suspect;
  private final boolean passed;
  private final ReadTimes read;
  private final Window.Claim claim;
  private @Nullable PendingMessage ready;
  private boolean commitInDoubt; // delivering worker only
  private boolean awaitsRow; // its own row is on its way to the deferred table
  private boolean noted; // that it is delivered next has been stored, or is being stored
  private boolean recording; // it is being stored

  /** One with a ready row. */
  LaneEntry(PendingMessage ready, Lane lane) {
    this.partition = ready.partition();
    this.message = ready.message();
    this.lane = lane;
    this.attempts = 0;
    this.lastError = null;
    this.suspect = false;
    this.passed = !lane.holds();
    this.read = ready.read();
    this.claim = ready.claim();
    this.ready = ready;
    this.rowHandler = lane.handler().name();
  }

  /** One with a deferred row. */
  LaneEntry(
      HeldPartition partition, Lane lane, DeferredMessage row, Window.Claim claim, ReadTimes read) {
    this.partition = partition;
    this.message = row.message();
    this.lane = lane;
    this.attempts = row.attempts();
    this.lastError = row.lastError();
    this.suspect = row.reason() == DeferReason.SUSPECT;
    this.passed = !row.inLane();
    this.rowHandler = row.handler();
    this.claim = claim;
    this.read = read;
  }

  public StoredMessage message() {
    return message;
  }

  /** The life of the relay in which its partition was taken. */
  public RelayIdentity owner() {
    return partition.owner();
  }

  public Delivery delivery() {
    int failures = suspect ? 0 : attempts; // those of a suspect are deaths of the process
    return new Delivery(message, lane.handler().name(), failures + 1, lastError, partition.epoch());
  }

  /** Whether it has expired by now. */
  public boolean expired(long now) {
    return read.hasExpired(message, now);
  }

  /**
   * Whether it may have expired by now. The database has to be asked: it is to {@linkplain
   * #readAgain() be read again}.
   */
  public boolean mayHaveExpired(long now) {
    return read.mayHaveExpired(message, now);
  }

  /** It waits until it has been read again. */
  public Fate readAgain() {
    DeferReason reason = suspect ? DeferReason.SUSPECT : DeferReason.WAITING;
    return new Fate.Deferred(reason, attempts, Duration.ZERO, lastError, passed);
  }

  /** Whether its partition is held and not being drained. */
  public boolean isHeld() {
    return partition.isHeld();
  }

  /**
   * What settles it in the transaction of its handler. The row of such an entry does not change
   * while it is under way, so this needs no lock.
   */
  public Settlement settlement(boolean kept) {
    if (ready == null) {
      Fate fate = kept ? Fate.KEPT : Fate.DELIVERED;
      return new Settlement(List.of(), List.of(PendingRow.settlement(message, rowHandler, fate)));
    }
    List<String> keeping = kept ? List.of(rowHandler) : List.of();
    return new Settlement(
        List.of(PendingMessage.settlement(message, List.of(), keeping)), List.of());
  }

  /** The commit of a delivery failed, but may have worked. */
  public void doubtCommit() {
    commitInDoubt = true;
  }

  public boolean isCommitInDoubt() {
    return commitInDoubt;
  }

  HeldPartition partition() {
    return partition;
  }

  Lane lane() {
    return lane;
  }

  long seq() {
    return message.seq();
  }

  int attempts() {
    return attempts;
  }

  @Nullable String lastError() {
    return lastError;
  }

  String rowHandler() {
    return rowHandler;
  }

  boolean isSuspect() {
    return suspect;
  }

  /** Whether later ones of its key may go before it. */
  boolean isPassed() {
    return passed;
  }

  Window.Claim claim() {
    return claim;
  }

  /** The message whose ready row it shares; null if it has a deferred row of its own. */
  @Nullable PendingMessage ready() {
    return ready;
  }

  /** The ready row is split: a deferred row of its own is on its way to the table. */
  void detach() {
    if (ready == null) {
      throw new IllegalStateException("a deferred row can't be split: " + message);
    }
    ready = null;
    awaitsRow = true;
  }

  /** Its own row is in the deferred table. */
  void rowStored() {
    awaitsRow = false;
  }

  /** Whether it can be handed to its handler now. */
  boolean deliverable() {
    return !awaitsRow || !needsOwnRow();
  }

  /** Whether its handler, or whoever finds it after a crash, must find a row of its own. */
  private boolean needsOwnRow() {
    return lane.handler().spec().isTransactional() || needsCare();
  }

  /** Whether it is stored before that it will be delivered. */
  boolean needsCare() {
    return suspect || partition.isCautious();
  }

  /** That it is delivered next is about to be stored. */
  void note() {
    noted = true;
    recording = true;
  }

  /** That has been stored. */
  void recorded() {
    recording = false;
  }

  /** It has been delivered, or will be later. */
  void forgetNote() {
    noted = false;
    recording = false;
  }

  /** Whether it is stored, or being stored, that it is delivered next; nothing goes before it. */
  boolean isNoted() {
    return noted;
  }

  boolean isRecording() {
    return recording;
  }
}
