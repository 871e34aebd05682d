/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.ReadResult.Mark;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Ask;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.BitSet;

/**
 * What a database that tells of locks only says of other transactions. Whoever draws a seq is in a
 * gate from before to its end. Marks are numbered: each is the highest seq that some read has
 * returned, so that it, and all lower ones, had been drawn by then; and it is passed when each gate
 * has been seen free after that read. A read asks for the gates before it asks for the rows: so the
 * rows of those who have left are visible to it. One relay's reader only.
 *
 * <p>A gate that others have entered meanwhile counts as busy: that is late, and never too early.
 */
final class Gates {
  private final String free;
  private final int gates;
  private final BitSet busy = new BitSet(); // not seen free since the last mark
  private long marks; // how many there were
  private long passed; // the last mark that was passed
  private long highest; // seq

  Gates(Dialect dialect, Tables tables) {
    this.free = dialect.freeGates(tables.gate());
    this.gates = dialect.gates();
  }

  /** Asks, if that is of any use; returns the first mark that is not passed. */
  long oldest(Connection connection) throws SQLException {
    if (passed < marks) {
      try (Statement statement = connection.createStatement();
          ResultSet gates = statement.executeQuery(free)) {
        while (gates.next()) {
          busy.clear(gates.getInt(1));
        }
      }
      if (busy.isEmpty()) {
        passed = marks;
      }
    }
    return passed + 1;
  }

  /** Notes what a read has returned; the mark that it brings. */
  Mark mark(ReadRequest request, long highestRead) {
    highest = Math.max(highest, highestRead);
    for (Slice slice : request.slices()) {
      highest = Math.max(highest, slice.afterSeq());
    }
    boolean pending = passed < marks && request.ask() != Ask.MARK;
    if (request.ask() != Ask.NOTHING && !pending) {
      marks++;
      busy.set(0, gates);
    }
    return new Mark(highest, request.ask() == Ask.NOTHING ? 0 : marks);
  }
}
