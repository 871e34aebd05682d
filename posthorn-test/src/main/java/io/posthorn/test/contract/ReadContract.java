/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.RelayStore.ReadSlice;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Ready rows are read by partition, in order, from a place, up to a limit.
 *
 * @since 0.1
 */
public abstract class ReadContract extends StoreContract {
  private List<Long> read(List<ReadSlice> slices, long... known) {
    return seqs(relay().read(slices, known, false).rows());
  }

  private static List<Long> seqs(List<StoredMessage> rows) {
    return rows.stream().map(StoredMessage::seq).toList();
  }

  private static ReadSlice from(int partition, long afterSeq, int limit) {
    return new ReadSlice(partition, afterSeq, limit);
  }

  @Test
  void partitionIsReadInSeqOrder() {
    List<StoredMessage> rows = append(Messages.many(40, 6));

    assertThat(read(List.of(from(6, 0, 100)))).containsExactlyElementsOf(seqs(rows));
  }

  @Test
  void sliceBeginsBehindItsSeq() {
    List<Long> rows = seqs(append(Messages.many(5, 0)));

    assertThat(read(List.of(from(0, rows.get(1), 100)))).isEqualTo(rows.subList(2, 5));
    assertThat(read(List.of(from(0, rows.get(4), 100)))).isEmpty();
  }

  @Test
  void sliceEndsAtItsLimit() {
    List<Long> rows = seqs(append(Messages.many(5, 0)));

    assertThat(read(List.of(from(0, rows.get(0), 2)))).isEqualTo(rows.subList(1, 3));
  }

  @Test
  void eachSliceHasItsOwnPlaceAndLimit() {
    List<Long> first = seqs(append(Messages.many(4, 1)));
    List<Long> second = seqs(append(Messages.many(4, 2)));

    assertThat(read(List.of(from(2, second.get(0), 2), from(1, 0, 3))))
        .containsExactlyInAnyOrder(
            first.get(0), first.get(1), first.get(2), second.get(1), second.get(2))
        .isSorted();
  }

  @Test
  void otherPartitionsAreNotRead() {
    append(Messages.many(3, 1));
    StoredMessage wanted = append(Messages.keyed(2, "order-1"));
    append(Messages.many(3, 3));

    assertThat(read(List.of(from(2, 0, 100), from(5, 0, 100)))).containsExactly(wanted.seq());
  }

  @Test
  void noSlicesReadNothing() {
    append(Messages.many(3, 0));

    assertThat(read(List.of())).isEmpty();
  }

  @Test
  void knownRowsArePassedOverAndDoNotCountAgainstTheLimit() {
    List<Long> rows = seqs(append(Messages.many(6, 0)));

    assertThat(read(List.of(from(0, 0, 2)), rows.get(0), rows.get(1), rows.get(3)))
        .containsExactly(rows.get(2), rows.get(4));
  }

  @Test
  void knownRowsOfAllPartitionsArePassedOver() {
    List<Long> first = seqs(append(Messages.many(3, 0)));
    List<Long> second = seqs(append(Messages.many(3, 4)));

    assertThat(read(List.of(from(0, 0, 2), from(4, 0, 1)), first.get(0), second.get(0)))
        .containsExactly(first.get(1), first.get(2), second.get(1));
  }

  @Test
  void knownSeqsWithoutARowAreHarmless() {
    StoredMessage row = append(Messages.keyed(0, "order-1"));

    assertThat(read(List.of(from(0, 0, 1)), row.seq() + 1, row.seq() + 1, Long.MAX_VALUE))
        .containsExactly(row.seq());
  }

  @Test
  void thousandsOfRowsMayBeKnown() {
    List<Long> rows = seqs(append(Messages.many(50, 0)));
    long last = rows.get(49);
    long[] known = LongStream.range(last - 5_000, last).toArray();

    assertThat(read(List.of(from(0, 0, 10)), known)).containsExactly(last);
  }

  @Test
  void rowThatIsCommittedLateIsFoundInFrontOfOthers() {
    database()
        .inTransaction(
            outer -> {
              database().store().append(outer, List.of(Messages.keyed(0, "late")));
              append(Messages.keyed(0, "early"));
            });

    assertThat(relay().read(List.of(from(0, 0, 10)), NONE_KNOWN, false).rows())
        .extracting(row -> row.envelope().key())
        .containsExactly("late", "early");
  }

  @Test
  void messageExpiresOnTheStoresClock() {
    Instant expiry = storeNow().plus(Duration.ofHours(1));
    append(Messages.expiring(0, expiry));

    advance(Duration.ofMinutes(50));
    assertThat(readAll()).singleElement().returns(false, StoredMessage::expired);
    advance(Duration.ofMinutes(10));
    assertThat(readAll()).singleElement().returns(true, StoredMessage::expired);
  }

  @Test
  void messageWithoutExpiryNeverExpires() {
    append(Messages.keyless(0));

    advance(Duration.ofDays(36_500));

    assertThat(readAll()).singleElement().returns(false, StoredMessage::expired);
  }

  @Test
  void readingChangesNothing() {
    append(Messages.many(3, 0));
    var before = rows();

    read(List.of(from(0, 0, 10)));

    assertThat(rows()).isEqualTo(before);
  }
}
