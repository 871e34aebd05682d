/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.read;

import io.posthorn.spi.Ticker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Of which partitions the floors are raised next. To raise a floor is to walk over the rows that
 * are gone, within the time that a transaction may take. The longer it does not happen, the more
 * there are; so when it has failed, fewer partitions are tried, soon. Reader's thread only.
 */
final class RaiseTurns {
  private static final long FIRST_REST = TimeUnit.SECONDS.toNanos(1);
  private static final long MAX_REST = TimeUnit.MINUTES.toNanos(1);
  private static final int FACTOR = 4;

  private final Ticker ticker;
  private int most = Integer.MAX_VALUE;
  private long rest = FIRST_REST;
  private long notBefore;
  private List<Integer> tried = List.of();
  private int last = -1;

  RaiseTurns(Ticker ticker) {
    this.ticker = ticker;
    this.notBefore = ticker.nanos();
  }

  boolean mayBegin() {
    return ticker.nanos() - notBefore >= 0;
  }

  /** Those of the partitions whose turn it is. */
  List<Integer> next(List<Integer> partitions) {
    List<Integer> inTurn = new ArrayList<>(partitions);
    Collections.sort(inTurn);
    Collections.rotate(inTurn, -(int) inTurn.stream().filter(number -> number <= last).count());
    tried = inTurn.subList(0, Math.min(inTurn.size(), most));
    return tried;
  }

  void ended(boolean raised) {
    if (!tried.isEmpty()) {
      last = tried.get(tried.size() - 1);
    }
    if (raised) {
      most = tried.size() < most ? most : (int) Math.min(Integer.MAX_VALUE, (long) FACTOR * most);
      rest = FIRST_REST;
    } else {
      most = Math.max(1, tried.size() / FACTOR);
      notBefore = ticker.nanos() + rest;
      rest = Math.min(2 * rest, MAX_REST);
    }
  }
}
