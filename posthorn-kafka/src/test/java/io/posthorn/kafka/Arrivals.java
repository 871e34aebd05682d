/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What must be true of the numbered messages of {@link Orders#publish(int, int, int)}. */
final class Arrivals {
  private Arrivals() {}

  static int number(ConsumerRecord<String, byte[]> record) {
    return Integer.parseInt(new String(record.value(), UTF_8).strip());
  }

  /** The numbers of one key in the order of their first arrival, whatever came twice. */
  static List<Integer> firstOf(String key, List<ConsumerRecord<String, byte[]>> records) {
    return new ArrayList<>(
        new LinkedHashSet<>(
            records.stream()
                .filter(record -> key.equals(record.key()))
                .map(Arrivals::number)
                .toList()));
  }

  /**
   * First arrivals of each key are in order.
   *
   * @param messages how many different ones there must be
   */
  static void assertInOrder(List<ConsumerRecord<String, byte[]>> records, int keys, int messages) {
    int found = 0;
    for (int key = 0; key < keys; key++) {
      List<Integer> first = firstOf("k" + key, records);
      assertThat(first).as("key k" + key).isSorted();
      found += first.size();
    }
    assertThat(found).as("different messages in the topic").isEqualTo(messages);
  }
}
