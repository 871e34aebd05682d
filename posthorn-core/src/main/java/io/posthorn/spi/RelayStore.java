/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What one relay asks of the store. The methods of each group (leases, reads, settles) are called
 * by one thread at a time, the groups side by side: each has a connection of its own, so that no
 * group waits for another or for handlers. All throw {@link StoreException}.
 *
 * @since 0.1
 */
public interface RelayStore extends AutoCloseable {
  // --- leases

  /** Enters a relay into the instance table, with a new incarnation, and begins its lease. */
  RelayIdentity join(String id, Map<String, Set<String>> handlers);

  /**
   * Renews the lease: states that it ends, on the database's clock, the relay's own lease duration
   * from now. Others go by that statement, whatever their own lease is. Does not wait for settles.
   *
   * @param report what the relay is doing, for {@link AdminStore#reports}; up to 16,000 characters
   *     of ASCII, without control characters but line feeds
   * @return false if the relay has been expelled
   */
  boolean heartbeat(RelayIdentity me, String report);

  /** Reads the partitions, then, in a later snapshot, the instances. */
  FleetSurvey survey();

  /**
   * Deletes the instance rows whose stated end has passed, and notes their handlers as gone. Rows
   * that a settle holds are passed over, and so is the relay's own.
   *
   * @return those that were expelled
   */
  List<RelayIdentity> expelStale(RelayIdentity me);

  /**
   * Takes partitions whose epoch is still the given one, unless this relay has been expelled.
   *
   * @return those that were taken, with their new epoch
   */
  List<PartitionOwner> take(RelayIdentity me, Collection<PartitionOwner> seen);

  /**
   * Notes that these partitions of this relay came to rest since they were taken: earlier crashes
   * no longer count. Changes none if it has been expelled.
   */
  void calm(RelayIdentity me, Collection<Integer> partitions);

  /**
   * Stores from where reads of these partitions may begin, for the next owner and for this one
   * after an error. Floors may be lowered too. Passes over partitions that this relay does not own.
   *
   * @param floors by partition
   * @return false if nothing was changed: the relay has been expelled, or this is not the server
   *     that its last reads came from
   */
  boolean storeFloors(RelayIdentity me, Map<Integer, Long> floors);

  /** Gives up partitions that this relay owns; none if it has been expelled. */
  void release(RelayIdentity me, Collection<Integer> partitions);

  /**
   * Takes back what the relay handles, so that it has no share of the partitions any more, and
   * notes its handlers as gone. It keeps the partitions that it owns until it releases them.
   */
  void retire(RelayIdentity me);

  /** Deletes the relay's own instance row, and notes its handlers as gone. */
  void leave(RelayIdentity me);

  /** Forgets handlers that were noted as gone. */
  void forget(Collection<FleetSurvey.Gone> gone);

  // --- reads

  /** Reads ready rows, those of one partition in seq order, as one snapshot shows them. */
  ReadResult read(ReadRequest request);

  /**
   * Looks for rows where none is expected. Deferred rows that are found where {@link
   * #raiseDeferredFloors} had left none are read again from now on.
   *
   * @param known rows with these seqs are passed over
   * @return the lowest seq that was found, by partition
   */
  Map<Integer, Long> findReady(List<SeqRange> ranges, long[] known);

  /** The stored floors of the partitions that this relay owns, by partition. */
  Map<Integer, Long> floors(RelayIdentity me);

  /**
   * Raises the sequence of seqs above all that is stored, if it is not: it was set back, and draws
   * seqs that other messages have. Reads of all partitions, by whoever takes them next, then begin
   * at the first row. Any number of relays may ask for it; none of them sets it back. Nothing is
   * done if this relay has been expelled, or if the store does not tell of its sequence in {@link
   * ReadResult#mark}.
   *
   * @param by how far above
   * @throws StoreException that says what is to be done, if the store must not set its sequence
   */
  default void raiseSequence(RelayIdentity me, long by) {}

  /** For each of these partitions the handlers that have rows in the deferred table. */
  Map<Integer, Set<String>> deferredHandlers(Collection<Integer> partitions);

  /**
   * Notes where the deferred rows of these partitions begin, so that reads, those of later owners
   * too, need not walk over rows that are gone.
   *
   * @return the partitions for which that is done; it is too early for the others. None if the
   *     relay has been expelled
   */
  Set<Integer> raiseDeferredFloors(RelayIdentity me, Collection<Integer> partitions);

  /**
   * Reads deferred rows whose time has come, with what stands behind them. A row of a lane comes
   * only if it is the first of its lane, or stands behind that one.
   */
  DueResult readDue(DueRequest request);

  /**
   * Deferred rows of one handler, those of one partition in seq order, without payload and headers,
   * so that they need no bound in bytes.
   */
  List<DeferredMessage> readHandler(String handler, List<ReadRequest.Slice> slices);

  /**
   * Which kinds of rows there are in these partitions that are {@link DeferReason#ELSEWHERE} or
   * {@link DeferReason#UNCLAIMED}; a probe for each kind, however many rows.
   *
   * @param most how many kinds of a partition to return at the most
   */
  List<UnclaimedKind> unclaimed(Collection<Integer> partitions, int most);

  /**
   * Makes rows of one kind due that are not, unless this relay has been expelled.
   *
   * @param afterSeq rows with a greater seq are looked at
   * @param limit how many of them at the most
   * @return the seq of the last one that was looked at; empty if there are no more behind it
   */
  OptionalLong makeDue(RelayIdentity me, UnclaimedKind kind, long afterSeq, int limit);

  /**
   * Lanes that a person has blocked, some of them if there are more.
   *
   * @param handlers the names of the handlers whose lanes are wanted
   */
  List<LaneId> lanesBlockedByHand(
      Collection<Integer> partitions, Collection<String> handlers, int limit);

  /**
   * How many lanes have deferred rows, by handler.
   *
   * @param most how many rows to look at for each partition and handler; lanes that are behind
   *     these, by their times, need not be counted
   */
  Map<String, Integer> countLanes(
      Collection<Integer> partitions, Collection<String> handlers, int most);

  // --- settles

  /**
   * Stores outcomes in one transaction that holds a shared lock on the relay's instance row.
   *
   * @return false if the relay has been expelled; then nothing was changed
   */
  boolean settle(RelayIdentity me, Settlement settlement);

  /**
   * A way to wake relays of other processes, if the database has one. It uses the relay's
   * connections and is closed before them.
   */
  Optional<WakeChannel> wakeChannel();

  /** Gives the connections back. Idempotent. */
  @Override
  void close();

  /**
   * Rows of the deferred table that nobody takes where they are, and about which the same is
   * decided.
   *
   * @param reason {@link DeferReason#ELSEWHERE} or {@link DeferReason#UNCLAIMED}
   * @param type as it is stored
   * @since 0.1
   */
  record UnclaimedKind(int partition, DeferReason reason, String handler, String type) {}

  /** Seqs of a partition that are greater than the first and not greater than the last. */
  record SeqRange(int partition, long after, long last) {}

  /**
   * What to read of the ready table.
   *
   * @param slices in the order in which the rows and bytes are given out
   * @param known rows with these seqs are passed over and do not count
   * @param lanes which rows the result tells more about
   * @param maxRows how many rows to return at the most
   * @param maxBytes the row that reaches so many bytes is the last one to be returned
   * @param ask what to find out about other transactions
   * @since 0.1
   */
  @SuppressWarnings("ArrayRecordComponent") // made for one read, never compared
  record ReadRequest(
      List<Slice> slices, long[] known, Lanes lanes, int maxRows, long maxBytes, Ask ask) {
    /** Added to the payload and the headers of each row when bytes are counted. */
    public static final int ROW_OVERHEAD_BYTES = 512;

    public ReadRequest {
      slices = List.copyOf(slices);
    }

    /** Which rows of a partition to read: the first of those with a greater seq. */
    public record Slice(int partition, long afterSeq, int limit) {}

    /**
     * For each row of some partitions the result tells the first deferred seq of its key for each
     * of some handlers. The other partitions are known to have no deferred rows of these handlers.
     *
     * @since 0.1
     */
    public record Lanes(List<String> handlers, Set<Integer> partitions) {
      /** The result tells of rows only. */
      public static final Lanes NONE = new Lanes(List.of(), Set.of());

      public Lanes {
        handlers = List.copyOf(handlers);
        partitions = Set.copyOf(partitions);
      }
    }

    /** What a read finds out about other transactions, where the database tells. */
    public enum Ask {
      /** Which of them have ended, and what has been drawn from the sequence: changes nothing. */
      NOTHING,
      /** The same, and by whom at the latest. */
      MARK,
      /** The same, and who has drawn and not ended. */
      MARK_AND_PUBLISHERS
    }
  }

  /**
   * What to read of the deferred table: rows whose time has come, and what stands behind them in
   * their lanes.
   *
   * @param slices in the order in which the rows and bytes are given out
   * @param known rows that are passed over as heads
   * @param rowsPerLane how many rows of a lane to return at the most, from its head on
   * @param maxRows how many rows to return at the most
   * @param maxBytes the row that reaches so many bytes is the last one to be returned
   * @since 0.1
   */
  record DueRequest(
      List<Heads> slices, Collection<Row> known, int rowsPerLane, int maxRows, long maxBytes) {
    public DueRequest {
      slices = List.copyOf(slices);
      known = List.copyOf(known);
    }

    /** The first rows of one handler in one partition that are due and stand behind no other. */
    public record Heads(int partition, String handler, int most) {}

    /** A row of the deferred table. */
    public record Row(int partition, long seq, String handler) {}
  }

  /**
   * Rows of the deferred table.
   *
   * @param rows lane by lane, those of a lane in seq order; rows behind the head may be not due
   * @param cut whether it ended at the most rows or bytes, so that the last lane may be incomplete
   * @since 0.1
   */
  record DueResult(List<DeferredMessage> rows, boolean cut) {
    public DueResult {
      rows = List.copyOf(rows);
    }
  }
}
