/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import io.posthorn.spi.RelayStore.SeqRange;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Ready rows are read by partition, in order, from a place, up to a limit.
 *
 * @since 0.1
 */
public abstract class ReadContract extends StoreContract {
  private List<Long> read(List<Slice> slices, long... known) {
    return seqs(relay().read(request(slices, known)).rows());
  }

  private static List<Long> seqs(List<StoredMessage> rows) {
    return rows.stream().map(StoredMessage::seq).toList();
  }

  private static Slice from(int partition, long afterSeq, int limit) {
    return new Slice(partition, afterSeq, limit);
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
  void afterReadsThatFoundNothingRowsBehindTheLowestFloorAreFound() {
    long drawn = append(Messages.keyed(7, "order-1")).seq();
    List<Slice> slices = List.of(from(3, drawn + 1_000_000, 10), from(5, drawn, 10));
    assertThat(read(slices)).isEmpty();
    assertThat(read(slices)).isEmpty();
    StoredMessage late = append(Messages.keyed(5, "order-2"));

    assertThat(read(slices)).containsExactly(late.seq());
    assertThat(read(slices)).containsExactly(late.seq());
    assertThat(read(slices, late.seq())).isEmpty();
    assertThat(read(slices)).containsExactly(late.seq());
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

    assertThat(relay().read(request(List.of(from(0, 0, 10)))).rows())
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

  private ReadResult read(int maxRows, long maxBytes) {
    return relay()
        .read(
            new ReadRequest(
                List.of(from(2, 0, 100), from(1, 0, 3)),
                NONE_KNOWN,
                ReadRequest.Lanes.NONE,
                maxRows,
                maxBytes,
                ReadRequest.Ask.NOTHING));
  }

  @Test
  void rowsAreGivenOutInTheOrderOfTheSlices() {
    append(Messages.many(4, 1));
    List<Long> second = seqs(append(Messages.many(4, 2)));

    assertThat(seqs(read(3, Long.MAX_VALUE).rows())).isEqualTo(second.subList(0, 3));
    assertThat(read(3, Long.MAX_VALUE).cut()).isTrue();
    assertThat(read(5, Long.MAX_VALUE).rows()).hasSize(5);
    assertThat(read(100, Long.MAX_VALUE).rows()).hasSize(7);
    assertThat(read(100, Long.MAX_VALUE).cut()).isFalse();
  }

  @Test
  void theRowThatReachesTheBytesIsTheLast() {
    append(Messages.many(2, 1));
    StoredMessage large = append(Messages.sized(2, 100_000));
    append(Messages.sized(2, 100_000));

    assertThat(seqs(read(100, 1).rows())).as("one in any case").containsExactly(large.seq());
    assertThat(seqs(read(100, 100_000).rows())).containsExactly(large.seq());
    assertThat(read(100, 100_000).cut()).isTrue();
    assertThat(read(100, 150_000).rows()).hasSize(2);
    assertThat(read(100, 1_000_000).rows()).hasSize(4);
    assertThat(read(100, 1_000_000).cut()).isFalse();
  }

  @Test
  void rowsAreWholeWhateverIsBesideThem() {
    List<byte[]> payloads =
        IntStream.of(10, 5_000, 0, 100_000, 10).mapToObj(size -> new byte[size]).toList();
    for (int i = 0; i < payloads.size(); i++) {
      append(Messages.sized(2, payloads.get(i).length));

      assertThat(read(10, 200_000).rows())
          .extracting(row -> row.envelope().payload())
          .containsExactlyElementsOf(payloads.subList(0, i + 1));
    }
  }

  @Test
  void headersCountToo() {
    append(Messages.withHeader(2, 50_000));
    append(Messages.withHeader(2, 50_000));

    assertThat(read(100, 50_000).rows()).hasSize(1);
    assertThat(read(100, 90_000).rows()).hasSize(2);
  }

  @Test
  void rowsAreFoundInRangesOfSeq() {
    List<Long> first = seqs(append(Messages.many(4, 1)));
    List<Long> second = seqs(append(Messages.many(4, 2)));

    assertThat(
            relay()
                .findReady(
                    List.of(
                        new SeqRange(1, first.get(0), first.get(2)),
                        new SeqRange(2, 0, second.get(0) - 1),
                        new SeqRange(3, 0, Long.MAX_VALUE)),
                    new long[] {first.get(1)}))
        .containsExactly(java.util.Map.entry(1, first.get(2)));
    assertThat(relay().findReady(List.of(), NONE_KNOWN)).isEmpty();
  }
}
