/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.Fate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a worker takes at once: entries in order, and what came of those it has come to. One worker
 * only.
 */
public final class WorkBatch {
  private final boolean probe;
  private final long begun;
  private final List<LaneEntry> entries = new ArrayList<>();
  private final List<@Nullable Fate> fates = new ArrayList<>(); // null: not begun
  private final BitSet stored = new BitSet();
  private final BitSet rowGone = new BitSet();
  private final BitSet goingOn = new BitSet();
  private Map<Lane, Integer> stopped = Map.of(); // from which entry on
  private Map<Lane, Integer> failed = Map.of(); // from which entry on
  private int untried;

  /**
   * @param probe whether it is to find out whether the handler's destination is back
   */
  WorkBatch(boolean probe, long begun) {
    this.probe = probe;
    this.begun = begun;
  }

  void add(LaneEntry entry) {
    entries.add(entry);
    fates.add(null);
  }

  /**
   * An entry, the only one of its lane, is under way beyond the end of this batch: {@link
   * WorkDispatcher#ended} is told what came of it.
   */
  public void goesOn(int index) {
    goingOn.set(index);
  }

  boolean isGoingOn(int index) {
    return goingOn.get(index);
  }

  /** How many entries are under way beyond its end. */
  int goingOn() {
    return goingOn.cardinality();
  }

  public int size() {
    return entries.size();
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  public LaneEntry entry(int index) {
    return entries.get(index);
  }

  public boolean isProbe() {
    return probe;
  }

  /** When it was taken. */
  long begun() {
    return begun;
  }

  /** What becomes of an entry. */
  public void ended(int index, Fate fate) {
    fates.set(index, fate);
    if (holdsUp(fate)) {
      failed = with(failed, index);
    }
  }

  /**
   * What becomes of an entry that says nothing about the handler's destination: it has expired, or
   * has to wait for its own one.
   */
  public void endedUntried(int index, Fate fate) {
    ended(index, fate);
    untried++;
  }

  /** Whether later messages of the lane wait. */
  static boolean holdsUp(Fate fate) {
    return (fate instanceof Fate.Deferred deferred && !deferred.passed())
        || (fate instanceof Fate.Dead dead && dead.blocksLane());
  }

  /** What became of an entry was stored with its delivery. */
  public void endedAndStored(int index) {
    fates.set(index, Fate.DELIVERED);
    stored.set(index);
  }

  /**
   * The row of an entry is not there any more: the table is not as the memory has it, so what
   * stands behind the entry has to be read again.
   */
  public void endedAsGone(int index) {
    endedAndStored(index);
    rowGone.set(index);
    failed = with(failed, index);
  }

  /** The entry counts as not begun; later ones of its lane come after it. */
  public void notBegun(int index) {
    stopped = with(stopped, index);
  }

  /**
   * Whether this entry or an earlier one of its lane has to come again, so that this one can't be
   * taken as done. What happens to later entries does not matter.
   */
  public boolean isStopped(int index) {
    return isFrom(stopped, index) || (entries.get(index).lane().holds() && isFrom(failed, index));
  }

  private boolean isFrom(Map<Lane, Integer> firsts, int index) {
    Integer first = firsts.get(entries.get(index).lane());
    return first != null && first <= index;
  }

  /** Whether some delivery reached the handler's destination, and none found it down. */
  public boolean gotThrough() {
    return stopped.isEmpty() && ended() > untried;
  }

  /** How many entries have come to an end. */
  int ended() {
    int ended = 0;
    for (Fate fate : fates) {
      ended += fate == null ? 0 : 1;
    }
    return ended;
  }

  /** What becomes of an entry; null if it was not begun. */
  @Nullable Fate fate(int index) {
    return fates.get(index);
  }

  boolean isStored(int index) {
    return stored.get(index);
  }

  boolean isRowGone(int index) {
    return rowGone.get(index);
  }

  /** Whether the lane of an entry ends with this batch, told at its first entry. */
  boolean endsLane(int index) {
    boolean first = index == 0 || entries.get(index - 1).lane() != entries.get(index).lane();
    return first && !goingOn.get(index);
  }

  /** Most batches have no such lanes, and pay for no map. */
  private Map<Lane, Integer> with(Map<Lane, Integer> firsts, int index) {
    Map<Lane, Integer> more = firsts.isEmpty() ? new HashMap<>() : firsts;
    more.merge(entries.get(index).lane(), index, Math::min);
    return more;
  }

  /** Whether an entry of the lane has to be tried again, so that later ones must wait for it. */
  boolean hasFailed(Lane lane) {
    return lane.holds() && failed.containsKey(lane);
  }
}
