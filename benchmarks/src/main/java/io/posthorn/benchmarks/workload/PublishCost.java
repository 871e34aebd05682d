/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import io.posthorn.benchmarks.subject.Order;
import java.util.List;
import java.util.stream.LongStream;

/**
 * W4: one writer, relay off, transactions of one business insert without a message, with one and
 * with ten. They take turns, transaction by transaction, so that the machine's moods meet all
 * three.
 */
final class PublishCost implements Workload {
  private static final Numbering NUMBERING = new Numbering(1);
  private static final int[] MESSAGES = {0, 1, 10};

  @Override
  public Outcome run(Stage stage, Effort effort, Progress progress) throws Exception {
    stage.clear();
    NumberLog[] spent = {new NumberLog(), new NumberLog(), new NumberLog()};
    ProcessorTime before = ProcessorTime.read(stage);
    long end = System.nanoTime() + effort.duration().toNanos();
    long messages = 0;
    long transactions = 0;
    while (System.nanoTime() < end) {
      for (int kind = 0; kind < MESSAGES.length; kind++) {
        List<Order> orders =
            LongStream.range(messages, messages + MESSAGES[kind])
                .mapToObj(turn -> NUMBERING.order(0, turn))
                .toList();
        messages += orders.size();
        long begun = System.nanoTime();
        stage.subject().transact(Stage.business(transactions++), orders);
        spent[kind].add(transactions, System.nanoTime() - begun);
      }
    }
    ProcessorTime after = ProcessorTime.read(stage);
    double without = median(spent[0]);
    double one = median(spent[1]);
    double ten = median(spent[2]);
    long missing = messages - stage.pending();
    Outcome outcome = Outcome.of(new Audit(missing, 0, 0), false);
    outcome =
        outcome
            .perSecond(1e9 / one)
            .with("microsWithoutMessage", without / 1e3)
            .with("microsWithOne", one / 1e3)
            .with("microsWithTen", ten / 1e3)
            .with("ratioToWithout", without / one)
            .with("addedMicros", (one - without) / 1e3)
            .with("tenToOne", ten / one);
    return after.addTo(outcome, before, messages);
  }

  private static double median(NumberLog nanos) {
    long[] values = new long[nanos.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = nanos.nanos(i);
    }
    return Latencies.of(values).millis(0.5) * 1e6;
  }
}
