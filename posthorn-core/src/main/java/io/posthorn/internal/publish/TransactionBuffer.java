/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import io.posthorn.spi.NewMessage;
import io.posthorn.spi.Transaction;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The messages of one transaction, in the order of the calls, and how many of them are written.
 * Used by the thread that runs the transaction only.
 *
 * <p>They are written just before the commit. A roll-back to a savepoint takes back what was
 * published after it; what was published before it, but written after it, the database has taken
 * back too, so it is written again.
 */
final class TransactionBuffer implements Transaction.SavepointListener {
  private static final long MOST_BYTES = 8L * 1024 * 1024;

  /** What a transaction looked like when a savepoint was set. */
  private record Mark(Object savepoint, int published, int written) {}

  private final Transaction transaction;
  private final BiConsumer<Transaction, List<NewMessage>> writer;
  private final int most;
  private final List<NewMessage> messages = new ArrayList<>(2);
  private final List<Mark> marks = new ArrayList<>(0);
  private final BitSet touched = new BitSet();
  private int written;
  private long waitingBytes;
  private boolean writePlanned;

  /**
   * @param most how many messages may wait; more are written at once
   * @param committed gets the partitions that were written to
   */
  TransactionBuffer(
      Transaction transaction,
      BiConsumer<Transaction, List<NewMessage>> writer,
      int most,
      Consumer<BitSet> committed) {
    this.transaction = transaction;
    this.writer = writer;
    this.most = most;
    transaction.onSavepoint(this);
    transaction.afterCommit(() -> committed.accept(touched));
  }

  void add(List<NewMessage> more) {
    messages.addAll(more);
    for (NewMessage message : more) {
      if (message.delay() == null) { // a delayed one is no news to anybody yet
        touched.set(message.partition());
      }
      waitingBytes += message.envelope().payloadBytes();
    }
    if (messages.size() - written >= most || waitingBytes >= MOST_BYTES) {
      write();
    } else if (!writePlanned) {
      writePlanned = true;
      transaction.beforeCommit(this::write);
    }
  }

  private void write() {
    writePlanned = false;
    if (written < messages.size()) {
      writer.accept(transaction, List.copyOf(messages.subList(written, messages.size())));
      written = messages.size();
    }
    waitingBytes = 0;
    if (marks.isEmpty()) { // nothing but the whole transaction can take them back
      messages.clear();
      written = 0;
    }
  }

  @Override
  public void savepointSet(Object savepoint) {
    marks.add(new Mark(savepoint, messages.size(), written));
  }

  @Override
  public void rolledBackTo(Object savepoint) {
    for (int i = marks.size() - 1; i >= 0; i--) {
      Mark mark = marks.get(i);
      if (mark.savepoint.equals(savepoint)) {
        messages.subList(mark.published, messages.size()).clear();
        written = mark.written;
        marks.subList(i + 1, marks.size()).clear();
        planRest();
        return;
      }
    }
    // Set before the first publish, so before everything in here.
    messages.clear();
    marks.clear();
    written = 0;
  }

  private void planRest() {
    if (written < messages.size() && !writePlanned) {
      writePlanned = true;
      transaction.beforeCommit(this::write);
    }
  }
}
