/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchTest {
  private final Batch.Item<String> first = new Batch.Item<>("a", Samples.delivery(1));
  private final Batch.Item<String> twin = new Batch.Item<>("a", Samples.delivery(1));
  private final Batch<String> batch = new Batch<>(List.of(first, twin));

  @Test
  void onlyTheMarkedItemHasFailedEvenIfAnotherLooksTheSame() {
    Exception cause = new Exception("no");

    batch.fail(first, cause);

    assertThat(batch.failure(first)).contains(cause);
    assertThat(batch.failure(twin)).isEmpty();
  }

  @Test
  void theLastMarkCounts() {
    Exception last = new Exception("last");

    batch.fail(first, new Exception("first"));
    batch.fail(first, last);

    assertThat(batch.failure(first)).contains(last);
  }

  @Test
  void itemsAreCopiedAndStayInOrder() {
    List<Batch.Item<String>> items = new ArrayList<>(List.of(first, twin));
    Batch<String> copied = new Batch<>(items);

    items.clear();

    assertThat(copied.items()).containsExactly(first, twin);
    assertThatThrownBy(() -> copied.items().remove(0))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aTombstoneIsAnItemWithoutPayload() {
    assertThat(new Batch.Item<String>(null, Samples.delivery(1)).payload()).isNull();
  }

  @Test
  void whatHasNoAnswerInTimeFailsAlsoIfItCannotBeSaidWith() {
    IllegalStateException thrown = new IllegalStateException("no text");
    batch.underWay(
        first,
        () -> {
          throw thrown;
        });
    batch.underWay(twin, () -> null);

    batch.failLate(first);
    batch.failLate(twin);

    assertThat(batch.failure(first)).contains(thrown);
    assertThat(batch.failure(twin)).containsInstanceOf(NullPointerException.class);
  }

  @Test
  void nullsAreRefusedByName() {
    assertThatThrownBy(() -> batch.fail(null, new Exception())).hasMessage("item");
    assertThatThrownBy(() -> batch.fail(first, null)).hasMessage("cause");
    assertThatThrownBy(() -> new Batch.Item<>("a", null)).hasMessage("delivery");
  }
}
