/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import io.posthorn.PublishException;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.Transaction;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one transaction that wait to be written, in the order of the calls. Used by the
 * thread that runs the transaction only.
 *
 * <p>They are written just before the commit, or when too many wait. A roll-back to a savepoint
 * takes back what was published after it; what was published before it, but written after it, the
 * database has taken back too, so it is kept and written again. If very much is kept that way, the
 * rest of the transaction is written at once: the database itself then takes back the right ones.
 *
 * <p>A call that the database has refused may have left half of what it did: keys without their
 * messages, or some rows of many. Not every database fails the transaction then, so this does,
 * unless it is rolled back to a savepoint before that call.
 */
final class TransactionBuffer implements Transaction.SavepointListener {
  private static final long MAX_BYTES = 8L * 1024 * 1024;

  /**
   * What a transaction looked like when a savepoint was set.
   *
   * @param kept how many messages were in the buffer: for this savepoint, or an earlier one, these
   *     have to be kept
   * @param written how many of them were written
   * @param published how many messages there had been
   * @param refused what the database had refused, or null
   */
  private record Mark(
      Object savepoint,
      int kept,
      int written,
      int published,
      long bytes,
      @Nullable Throwable refused) {}

  private final Transaction transaction;
  private final BiConsumer<Transaction, List<NewMessage>> writer;
  private final int maxMessages;
  private final List<NewMessage> messages = new ArrayList<>(2);
  private final List<Mark> marks = new ArrayList<>(0);
  private final BitSet touched = new BitSet();
  private int written; // so many of the messages are
  private int published; // those that have left the list, too
  private long bytes; // of all of them
  private long waitingBytes; // of those that are not written
  private boolean writePlanned;
  private @Nullable Throwable refused; // by the database; null if nothing was

  /**
   * @param maxMessages how many may wait; more are written at once
   * @param committed told of what was written
   */
  TransactionBuffer(
      Transaction transaction,
      BiConsumer<Transaction, List<NewMessage>> writer,
      int maxMessages,
      Publisher.Committed committed) {
    this.transaction = transaction;
    this.writer = writer;
    this.maxMessages = maxMessages;
    transaction.onSavepoint(this);
    transaction.afterCommit(() -> committed.published(touched, published));
  }

  void add(List<NewMessage> more) {
    published += more.size();
    for (NewMessage message : more) {
      if (message.delay() == null) { // a delayed one is no news to anybody yet
        touched.set(message.partition());
      }
    }
    if (keepsEnoughForSavepoints()) {
      write();
      writer.accept(transaction, List.copyOf(more)); // no savepoint is between call and write
      return;
    }
    messages.addAll(more);
    bytes += bytesOf(more);
    waitingBytes += bytesOf(more);
    if (messages.size() - written >= maxMessages || waitingBytes >= MAX_BYTES) {
      write();
    } else {
      planWrite();
    }
  }

  private boolean keepsEnoughForSavepoints() {
    if (marks.isEmpty()) {
      return false;
    }
    Mark last = marks.get(marks.size() - 1);
    return last.kept >= maxMessages || last.bytes >= MAX_BYTES;
  }

  private static long bytesOf(List<NewMessage> messages) {
    long bytes = 0;
    for (NewMessage message : messages) {
      bytes += message.envelope().bytes();
    }
    return bytes;
  }

  /** The database has refused something of a call: the transaction must not be committed. */
  void refused(Throwable failure) {
    refused = refused == null ? failure : refused;
    planWrite();
  }

  private void planWrite() {
    if ((written < messages.size() || refused != null) && !writePlanned) {
      writePlanned = true;
      transaction.beforeCommit(this::write);
    }
  }

  private void write() {
    writePlanned = false;
    if (refused != null) {
      throw new PublishException(
          "No message published: the database has refused an earlier one, of which something may be stored, so the transaction must roll back: "
              + refused.getMessage(),
          refused);
    }
    if (written < messages.size()) {
      writer.accept(transaction, List.copyOf(messages.subList(written, messages.size())));
      written = messages.size();
    }
    waitingBytes = 0;
    forgetWritten();
  }

  /** What was written since the last savepoint stands or falls with that, in the database. */
  private void forgetWritten() {
    int kept = marks.isEmpty() ? 0 : marks.get(marks.size() - 1).kept;
    if (kept < written) {
      List<NewMessage> done = messages.subList(kept, written);
      bytes -= bytesOf(done);
      done.clear();
      written = kept;
    }
  }

  @Override
  public void savepointSet(Object savepoint) {
    marks.add(new Mark(savepoint, messages.size(), written, published, bytes, refused));
  }

  @Override
  public void savepointReleased(Object savepoint) {
    int index = indexOf(savepoint);
    if (index >= 0) {
      marks.subList(index, marks.size()).clear();
      forgetWritten();
    }
  }

  @Override
  public void rolledBackTo(Object savepoint) {
    int index = indexOf(savepoint);
    marks.subList(index + 1, marks.size()).clear();
    // One that is not known was set before the first publish, so before everything in here.
    Mark mark = index < 0 ? new Mark(savepoint, 0, 0, 0, 0, null) : marks.get(index);
    messages.subList(mark.kept, messages.size()).clear();
    written = mark.written;
    published = mark.published;
    bytes = mark.bytes;
    refused = mark.refused;
    waitingBytes = bytesOf(messages.subList(written, messages.size()));
    planWrite();
  }

  private int indexOf(Object savepoint) {
    int index = marks.size() - 1;
    while (index >= 0 && !marks.get(index).savepoint.equals(savepoint)) {
      index--;
    }
    return index;
  }
}
