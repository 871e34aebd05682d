/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.test.StoredRows;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What holds in the tables at any moment, whatever has happened before. */
final class TableInvariants {
  private TableInvariants() {}

  private record HandlersRow(long seq, String handler) {}

  static void check(StoredRows rows) {
    List<HandlersRow> left =
        Stream.concat(
                rows.deferred().stream()
                    .filter(row -> !row.reason().equals(DeferReason.BLOCKED.name()))
                    .map(row -> new HandlersRow(row.seq(), row.handler())),
                rows.dead().stream().map(row -> new HandlersRow(row.seq(), row.handler())))
            .toList();
    assertThat(left).as("a message is in one place for each handler").doesNotHaveDuplicates();
    Set<Long> leftSeqs = left.stream().map(HandlersRow::seq).collect(Collectors.toSet());
    assertThat(rows.ready().stream().map(StoredRows.Ready::seq))
        .as("a ready message has no twin, and no row in another table")
        .doesNotHaveDuplicates()
        .noneMatch(leftSeqs::contains);
    assertThat(rows.partitions())
        .as("partitions are numbered from zero without a gap")
        .extracting(PartitionOwner::partition)
        .containsExactlyElementsOf(IntStream.range(0, rows.partitions().size()).boxed().toList());
    assertThat(rows.partitions())
        .as("a partition that has an owner was taken once at least")
        .allMatch(partition -> partition.owner() == null || partition.epoch() > 0);
  }
}
