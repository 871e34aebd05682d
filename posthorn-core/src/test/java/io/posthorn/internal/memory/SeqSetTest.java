/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SeqSetTest {
  @Test
  void doesWhatATreeSetDoes() {
    for (int seed = 0; seed < 200; seed++) {
      compare(new Random(seed));
    }
  }

  private static void compare(Random random) {
    SeqSet set = new SeqSet();
    NavigableSet<Long> expected = new TreeSet<>();
    long next = 0;
    for (int turn = 0; turn < 50; turn++) {
      for (int added = random.nextInt(20); added > 0; added--) {
        next += random.nextInt(3);
        long seq = random.nextInt(4) == 0 ? random.nextInt(100) : next;
        assertThat(set.add(seq)).isEqualTo(expected.add(seq));
      }
      LongList removed = new LongList();
      for (int some = random.nextInt(25); some > 0; some--) {
        long seq = random.nextInt(200);
        removed.add(seq);
        expected.remove(seq);
      }
      set.removeAll(removed);
      long after = random.nextInt(150);
      long last = after + random.nextInt(150);
      LongList copied = new LongList();
      set.copyTo(copied, after, last);
      assertThat(copied.toArray())
          .containsExactly(array(expected.subSet(after, false, last, true)));
      assertThat(set.toArray()).containsExactly(array(expected));
      assertThat(set.isEmpty()).isEqualTo(expected.isEmpty());
      if (!expected.isEmpty()) {
        assertThat(set.first()).isEqualTo(expected.first());
      }
    }
  }

  private static long[] array(NavigableSet<Long> seqs) {
    return seqs.stream().mapToLong(Long::longValue).toArray();
  }
}
